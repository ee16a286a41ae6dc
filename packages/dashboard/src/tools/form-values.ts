import { type Field, textOf } from './form-fields.ts';

const KEY_SEPARATOR = '\n';
export const keyOf = ({ path }: Field): string => path.join(KEY_SEPARATOR);

/** The initial values of the fields. */
export function initialValues(fields: readonly Field[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const field of fields) {
    if (field.shape.kind === 'group')
      for (const [key, value] of initialValues(field.shape.fields)) values.set(key, value);
    else if (field.initial !== undefined) values.set(keyOf(field), field.initial);
  }
  return values;
}

/** The form's values as arguments; throws an error for invalid fields. */
export function argumentsFrom(
  fields: readonly Field[],
  values: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const field of fields) {
    const value = filledIn(field, values);
    if (value !== undefined) args[field.name] = value;
  }
  return args;
}

function filledIn(field: Field, values: ReadonlyMap<string, string>): unknown {
  const { shape, required, path } = field;
  const title = path.join('.');
  const text = values.get(keyOf(field));
  if (shape.kind === 'group') {
    const isEmpty = ![...values].some(
      ([key, value]) => key.startsWith(keyOf(field) + KEY_SEPARATOR) && value !== '',
    );
    return isEmpty && !required ? undefined : argumentsFrom(shape.fields, values);
  }
  if (shape.kind === 'flag') return text === undefined && !required ? undefined : text === 'true';
  if (text === undefined || text === '') {
    if (!required) return undefined;
    if (shape.kind === 'text') return '';
    if (shape.kind === 'list') return [];
    throw new Error(`${title} is missing.`);
  }
  switch (shape.kind) {
    case 'text':
      return text;
    case 'number':
      return numberFrom(title, text, shape.isWhole);
    case 'choice':
      return shape.choices.find((choice) => textOf(choice) === text);
    case 'list': {
      const lines = text.split('\n').filter((line) => line !== '');
      return shape.of === 'text' ? lines : lines.map((line) => numberFrom(title, line, false));
    }
    case 'json':
      return jsonFrom(title, text);
  }
}

function numberFrom(title: string, text: string, isWhole: boolean): number {
  const number = Number(text);
  if (!Number.isFinite(number)) throw new Error(`${title} is not a number.`);
  if (isWhole && !Number.isInteger(number)) throw new Error(`${title} is not a whole number.`);
  return number;
}

export function jsonFrom(title: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, where = ''] = /(at position .*)$/.exec((error as Error).message) ?? [];
    throw new Error(`${title} is not valid JSON${where === '' ? '' : ` ${where}`}.`);
  }
}
