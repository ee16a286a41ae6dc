type Schema = Record<string, unknown>;

/** The kind of input. `json`: too complex for a form, written as JSON. */
export type Shape =
  | { kind: 'text'; isLong: boolean }
  | { kind: 'number'; isWhole: boolean }
  | { kind: 'flag' }
  | { kind: 'choice'; choices: unknown[] }
  /** One per line. */
  | { kind: 'list'; of: 'text' | 'number' }
  | { kind: 'group'; fields: Field[] }
  | { kind: 'json' };

/** One field of a form for a tool's arguments. */
export interface Field {
  /** The property names that lead to it. */
  path: string[];
  name: string;
  description: string | undefined;
  required: boolean;
  /** The initial value. */
  initial: string | undefined;
  shape: Shape;
}

const MOST_FIELDS = 40;
const DEEPEST = 3;
/** Keywords that a form of properties cannot express. */
const BEYOND = ['oneOf', 'anyOf', 'allOf', 'not', 'if', 'patternProperties', '$dynamicRef'];

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The form fields of a schema; undefined if it is too complex for a form. */
export function fieldsOf(schema: Schema): Field[] | undefined {
  return fieldsIn(resolved(schema, schema), [], schema);
}

function fieldsIn(schema: Schema, path: string[], root: Schema): Field[] | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (BEYOND.some((word) => word in schema) || !isSchema(properties) || !Array.isArray(required))
    return undefined;
  const entries = Object.entries(properties);
  const isMap = entries.length === 0 && isSchema(additionalProperties);
  if (isMap || entries.length > MOST_FIELDS || path.length >= DEEPEST) return undefined;
  return entries.map(([name, property]): Field => {
    const of = simplified(isSchema(property) ? property : {}, root);
    return {
      path: [...path, name],
      name,
      description: typeof of.description === 'string' ? of.description : undefined,
      required: required.includes(name),
      initial: of.default === undefined ? undefined : textOf(of.default),
      shape: shapeOf(of, [...path, name], root),
    };
  });
}

/** The text of a value in a field. */
export const textOf = (value: unknown): string => {
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function shapeOf(schema: Schema, path: string[], root: Schema): Shape {
  const { type, items } = schema;
  const choices = choicesOf(schema);
  if (choices) return { kind: 'choice', choices };
  if (BEYOND.some((word) => word in schema)) return { kind: 'json' };
  if (type === 'string') return { kind: 'text', isLong: (Number(schema.maxLength) || 0) > 500 };
  if (type === 'number' || type === 'integer') return { kind: 'number', isWhole: type === 'integer' };
  if (type === 'boolean') return { kind: 'flag' };
  if (type === 'array' && isSchema(items)) {
    const item = simplified(items, root);
    if (item.type === 'string') return { kind: 'list', of: 'text' };
    if (item.type === 'number' || item.type === 'integer') return { kind: 'list', of: 'number' };
  }
  if (type === 'object') {
    const fields = fieldsIn(schema, path, root);
    if (fields && fields.length > 0) return { kind: 'group', fields };
  }
  return { kind: 'json' };
}

/** The values of an enum, or of a union of constants. */
function choicesOf({ enum: values, const: only, anyOf, oneOf }: Schema): unknown[] | undefined {
  if (Array.isArray(values)) return values;
  if (only !== undefined) return [only];
  const union = anyOf ?? oneOf;
  if (!Array.isArray(union)) return undefined;
  const constants = union.flatMap((one) => (isSchema(one) && one.const !== undefined ? [one.const] : []));
  return constants.length > 0 && constants.length === union.length ? constants : undefined;
}

/** Resolves references and removes `null`, which an empty field stands for. */
function simplified(property: Schema, root: Schema): Schema {
  const schema = resolved(property, root);
  const { type, anyOf } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'null');
    return others.length === 1 ? { ...schema, type: others[0] } : schema;
  }
  if (Array.isArray(anyOf)) {
    const others = anyOf.filter((one) => !isSchema(one) || one.type !== 'null');
    const [other] = others;
    const { anyOf: _, ...rest } = schema;
    if (others.length === 1 && isSchema(other)) return { ...resolved(other, root), ...rest };
  }
  return schema;
}

function resolved(schema: Schema, root: Schema): Schema {
  const { $ref } = schema;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return schema;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, word) => (isSchema(at) ? at[word] : undefined), root);
  return isSchema(found) && !('$ref' in found) ? found : {};
}

/** Initial arguments for the editor: the required ones, empty. */
export function draftOf(schema: Schema): string {
  const { properties, required } = resolved(schema, schema);
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const known = isSchema(properties) ? properties : {};
  const draft = Object.fromEntries(
    names.map((name) => {
      const property = known[name];
      return [name, emptyOf(isSchema(property) ? simplified(property, schema) : {})];
    }),
  );
  return JSON.stringify(draft, null, 2);
}

const emptyOf = ({ type, default: usual }: Schema): unknown =>
  usual ?? { string: '', number: 0, integer: 0, boolean: false, array: [], object: {} }[String(type)] ?? null;
