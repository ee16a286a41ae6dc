/** One field of a form for a tool's arguments. */
export interface Field {
  name: string;
  description: string | undefined;
  required: boolean;
  /** `json`: what is beyond a form is written as JSON. */
  kind: 'text' | 'number' | 'flag' | 'choice' | 'json';
  choices: string[];
}

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const MOST_FIELDS = 40;

/** The fields of a form for a schema; undefined where the schema is beyond one. */
export function fieldsOf(schema: Schema): Field[] | undefined {
  const { properties = {}, required = [] } = schema;
  const isBeyond = ['oneOf', 'anyOf', 'allOf', '$ref', 'if', 'patternProperties'].some(
    (word) => word in schema,
  );
  if (isBeyond || !isSchema(properties) || !Array.isArray(required)) return undefined;
  const entries = Object.entries(properties);
  if (entries.length > MOST_FIELDS) return undefined;
  return entries.map(([name, property]) => {
    const of = isSchema(property) ? property : {};
    return {
      name,
      description: typeof of.description === 'string' ? of.description : undefined,
      required: required.includes(name),
      ...shapeOf(of),
    };
  });
}

function shapeOf({ type, enum: choices }: Schema): Pick<Field, 'kind' | 'choices'> {
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string'))
    return { kind: 'choice', choices };
  if (type === 'string') return { kind: 'text', choices: [] };
  if (type === 'number' || type === 'integer') return { kind: 'number', choices: [] };
  if (type === 'boolean') return { kind: 'flag', choices: [] };
  return { kind: 'json', choices: [] };
}

/** What the form says as arguments; throws with a sentence where a field makes no sense. */
export function argumentsFrom(
  fields: readonly Field[],
  values: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const { name, kind, required } of fields) {
    const text = values.get(name) ?? '';
    if (text === '' && kind !== 'flag') {
      if (required && kind !== 'text') throw new Error(`${name} is missing.`);
      if (required) args[name] = '';
      continue;
    }
    if (kind === 'flag') {
      if (text === 'true' || required) args[name] = text === 'true';
    } else
      args[name] = kind === 'number' ? numberFrom(name, text) : kind === 'json' ? jsonFrom(name, text) : text;
  }
  return args;
}

function numberFrom(name: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new Error(`${name} is not a number.`);
}

export function jsonFrom(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not valid JSON.`);
  }
}
