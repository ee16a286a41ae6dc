import { useSignal } from '@preact/signals';
import { welcome } from '../../connection/connection.ts';
import { agents } from '../../model/project.ts';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { linkTo } from '../../routes.ts';
import { candidatesFor } from './completion.ts';

/** Chooses one recipient, or several as a group. */
export function NewMessage() {
  const words = useSignal('');
  const chosen = useSignal<string[]>([]);
  const me = welcome.value?.agent?.name;
  const others = [...agents.value.keys()].filter((name) => name !== me && !chosen.value.includes(name));
  const candidates = candidatesFor(words.value, others);
  const choose = (name: string) => {
    chosen.value = [...chosen.value, name];
    words.value = '';
  };
  return (
    <DialogForm
      title="New message"
      opener={(open) => (
        <button type="button" class="quiet add" aria-label="New message" title="New message" onClick={open}>
          <Icon name="plus" size={14} />
        </button>
      )}
      submit={{ text: 'Write' }}
      canSubmit={chosen.value.length > 0}
      onSubmit={() => {
        const subject = chosen.value.toSorted().join(',');
        location.hash = linkTo(welcome.value?.project ?? '', 'direct', subject);
      }}
      onClosed={() => {
        words.value = '';
        chosen.value = [];
      }}
    >
      <p class="muted small">Choose one agent, or several for a group.</p>
      {chosen.value.length > 0 && (
        <p class="chips">
          {chosen.value.map((name) => (
            <span key={name} class="chip">
              {name}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${name}`}
                onClick={() => {
                  chosen.value = chosen.value.filter((one) => one !== name);
                }}
              >
                <Icon name="close" size={12} />
              </button>
            </span>
          ))}
        </p>
      )}
      <label class="field">
        Name
        <input
          value={words.value}
          autocomplete="off"
          onInput={({ currentTarget }) => {
            words.value = currentTarget.value;
          }}
          onKeyDown={(event) => {
            const [first] = candidates;
            if (event.key !== 'Enter' || words.value === '' || first === undefined) return;
            event.preventDefault();
            choose(first);
          }}
        />
      </label>
      <div class="chips">
        {candidates.map((name) => (
          <button key={name} type="button" aria-label={`Add ${name}`} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
      </div>
    </DialogForm>
  );
}
