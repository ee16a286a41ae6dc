import { linearPattern, type Pattern } from './pattern.ts';

/** A JSON Schema, or a part of one. */
export type Schema = boolean | { readonly [keyword: string]: unknown };

/** Keywords that cannot be checked here. Those that are unknown to JSON Schema itself are ignored, as it says. */
const UNSUPPORTED = ['$dynamicRef', '$recursiveRef', 'unevaluatedProperties', 'unevaluatedItems'];
const ONE_SCHEMA = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalProperties',
  'additionalItems',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const TABLES = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const NUMBERS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
];

/**
 * A schema that was looked through once: every part is a schema, and nothing in it leads outside of it. Its depth and
 * size are limited where it comes in (`toolDefinition`, `quotas.toolBytes`).
 */
export class CheckedSchema {
  readonly root: Schema;
  readonly #patterns = new Map<string, Pattern | undefined>();

  /** Throws an `Error` whose message says what is wrong with the schema, and where. */
  constructor(root: unknown) {
    this.root = checkPart(root, '');
    checkReferences(this, root, '');
  }

  /** The part that a reference leads to, such as `#/$defs/node`; undefined if there is none. */
  find(reference: string): Schema | undefined {
    if (reference === '#' || reference === '') return this.root;
    if (!reference.startsWith('#/')) return undefined;
    let part: unknown = this.root;
    for (const step of reference.slice(2).split('/')) {
      const key = unescaped(step);
      if (!isObject(part) && !Array.isArray(part)) return undefined;
      if (key === undefined || !Object.hasOwn(part, key)) return undefined;
      part = (part as Record<string, unknown>)[key];
    }
    return isSchema(part) ? part : undefined;
  }

  /** Undefined for a pattern that is not checked. */
  pattern(source: string): Pattern | undefined {
    if (!this.#patterns.has(source)) this.#patterns.set(source, linearPattern(source));
    return this.#patterns.get(source);
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSchema = (value: unknown): value is Schema => typeof value === 'boolean' || isObject(value);

function unescaped(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

function checkPart(part: unknown, at: string): Schema {
  const flaw = (text: string) => new Error(`${at || 'the schema'} ${text}`);
  if (!isSchema(part)) throw flaw('must be an object, true or false');
  if (typeof part === 'boolean') return part;
  for (const keyword of UNSUPPORTED)
    if (Object.hasOwn(part, keyword)) throw flaw(`has "${keyword}", which is not supported`);
  for (const keyword of NUMBERS)
    if (keyword in part && typeof part[keyword] !== 'number')
      throw flaw(`has a "${keyword}" that is no number`);
  for (const keyword of ONE_SCHEMA) if (keyword in part) checkPart(part[keyword], `${at}/${keyword}`);
  for (const keyword of LISTS) if (keyword in part) checkList(part[keyword], `${at}/${keyword}`);
  for (const keyword of TABLES) if (keyword in part) checkTable(part[keyword], `${at}/${keyword}`);
  const { items } = part;
  if (Array.isArray(items)) checkList(items, `${at}/items`);
  else if (items !== undefined) checkPart(items, `${at}/items`);
  if ('pattern' in part && typeof part.pattern !== 'string') throw flaw('has a "pattern" that is no text');
  if ('enum' in part && !Array.isArray(part.enum)) throw flaw('has an "enum" that is no list');
  if ('required' in part && !isTexts(part.required)) throw flaw('has a "required" that is no list of names');
  if ('type' in part && typeof part.type !== 'string' && !isTexts(part.type))
    throw flaw('has a "type" that is neither a name nor a list of names');
  return part;
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function checkList(list: unknown, at: string): void {
  if (!Array.isArray(list)) throw new Error(`${at} must be a list`);
  for (const [index, part] of list.entries()) checkPart(part, `${at}/${index}`);
}

function checkTable(table: unknown, at: string): void {
  if (!isObject(table)) throw new Error(`${at} must be an object`);
  for (const [key, part] of Object.entries(table)) checkPart(part, `${at}/${key}`);
}

/** Wherever a `$ref` stands, it must lead to a part of the same schema: nothing is fetched, ever. */
function checkReferences(schema: CheckedSchema, value: unknown, at: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const isReference = key === '$ref' && typeof inner === 'string';
    if (isReference && schema.find(inner) === undefined)
      throw new Error(`${at || 'the schema'} refers to "${inner}", which is not a part of the same schema`);
    if (key !== 'enum' && key !== 'const' && key !== 'default' && key !== 'examples')
      checkReferences(schema, inner, `${at}/${key}`);
  }
}
