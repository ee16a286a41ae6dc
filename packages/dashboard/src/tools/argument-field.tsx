import { type Field, textOf } from './form-fields.ts';
import { keyOf } from './form-values.ts';

interface Values {
  values: ReadonlyMap<string, string>;
  onValue: (key: string, value: string) => void;
}

/** The field of one argument; for a group, all its fields. */
export function ArgumentField({ field, ...form }: { field: Field } & Values) {
  const { name, description, required, shape } = field;
  if (shape.kind === 'group')
    return (
      <fieldset class="field-group">
        <legend>
          <code>{name}</code>
          {required && <span class="muted"> required</span>}
          {description && <span class="muted"> · {description}</span>}
        </legend>
        {shape.fields.map((inner) => (
          <ArgumentField key={inner.name} field={inner} {...form} />
        ))}
      </fieldset>
    );
  return (
    <div class="field">
      <label for={idOf(field)}>
        <code>{name}</code>
        {required && <span class="muted"> required</span>}
        {description && <span class="muted"> · {description}</span>}
      </label>
      <Input field={field} {...form} />
    </div>
  );
}

const idOf = ({ path }: Field): string => `argument-${path.join('-')}`;

function Input({ field, values, onValue }: { field: Field } & Values) {
  const { shape } = field;
  const id = idOf(field);
  const key = keyOf(field);
  const value = values.get(key) ?? '';
  const change = ({ currentTarget }: { currentTarget: { value: string } }) =>
    onValue(key, currentTarget.value);
  switch (shape.kind) {
    case 'flag':
      return (
        <input
          id={id}
          type="checkbox"
          checked={value === 'true'}
          onChange={({ currentTarget }) => onValue(key, String(currentTarget.checked))}
        />
      );
    case 'choice':
      return (
        <select id={id} value={value} onChange={change}>
          <option value="">–</option>
          {shape.choices.map(textOf).map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      );
    case 'list':
      return <textarea id={id} rows={3} placeholder="One per line" value={value} onInput={change} />;
    case 'json':
      return (
        <textarea id={id} rows={3} placeholder="JSON" value={value} onInput={change} spellcheck={false} />
      );
    case 'text':
      if (shape.isLong) return <textarea id={id} rows={4} value={value} onInput={change} />;
      return <input id={id} type="text" value={value} onInput={change} autocomplete="off" />;
    case 'number':
      return (
        <input id={id} type="text" inputMode="decimal" value={value} onInput={change} autocomplete="off" />
      );
    case 'group':
      return null;
  }
}
