import { type CheckedSchema, isObject, type Schema } from './schema.ts';

/** What is wrong with a value: where, as a path such as `files[0].name`, and what. */
export interface Flaw {
  path: string;
  text: string;
  /** Only that it was too much to check. */
  isUnchecked?: true;
}

/** The maximum steps of one check, each well under a microsecond. */
const MAX_STEPS = 250_000;
/** The maximum recursion depth of `#check`. */
const MAX_NESTING = 256;

/** The first thing wrong with the value; undefined if it matches the schema. Takes bounded time for any input. */
export function validate(schema: CheckedSchema, value: unknown): Flaw | undefined {
  try {
    return new Validation(schema).check(schema.root, value, '');
  } catch (error) {
    if (error instanceof TooMuch)
      return { path: '', text: 'is too complex to check against the schema', isUnchecked: true };
    throw error;
  }
}

class TooMuch extends Error {}

type Part = { readonly [keyword: string]: unknown };

class Validation {
  readonly #schema: CheckedSchema;
  #steps = 0;
  #nesting = 0;

  constructor(schema: CheckedSchema) {
    this.#schema = schema;
  }

  check(schema: Schema, value: unknown, path: string): Flaw | undefined {
    this.#spend(1);
    if (schema === true) return undefined;
    if (schema === false) return { path, text: 'is not allowed' };
    if (this.#nesting >= MAX_NESTING) throw new TooMuch();
    this.#nesting += 1;
    const flaw =
      this.#reference(schema, value, path) ??
      this.#simple(schema, value, path) ??
      (typeof value === 'number' ? numberFlaw(schema, value, path) : undefined) ??
      (typeof value === 'string' ? this.#text(schema, value, path) : undefined) ??
      (Array.isArray(value) ? this.#list(schema, value, path) : undefined) ??
      (isObject(value) ? this.#object(schema, value, path) : undefined) ??
      this.#combined(schema, value, path);
    this.#nesting -= 1;
    return flaw;
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new TooMuch();
  }

  #matches(schema: unknown, value: unknown): boolean {
    return this.check(schema as Schema, value, '') === undefined;
  }

  #reference({ $ref }: Part, value: unknown, path: string): Flaw | undefined {
    if (typeof $ref !== 'string') return undefined;
    return this.check(this.#schema.find($ref) ?? true, value, path);
  }

  #simple(schema: Part, value: unknown, path: string): Flaw | undefined {
    const { type } = schema;
    if (type !== undefined) {
      const types = [type].flat() as string[];
      if (!types.some((one) => isOfType(one, value)))
        return { path, text: `must be ${types.map(withArticle).join(' or ')}` };
    }
    if ('const' in schema && this.#canonical(schema.const) !== this.#canonical(value))
      return { path, text: `must be ${shown(schema.const)}` };
    if (Array.isArray(schema.enum)) {
      const own = this.#canonical(value);
      if (!schema.enum.some((one) => this.#canonical(one) === own))
        return { path, text: `must be one of ${schema.enum.map(shown).join(', ').slice(0, 200)}` };
    }
    return undefined;
  }

  #text(schema: Part, value: string, path: string): Flaw | undefined {
    const { minLength, maxLength, pattern } = schema;
    if (minLength !== undefined || maxLength !== undefined) {
      this.#spend(value.length / 16);
      const flaw = amountFlaw([...value].length, minLength, maxLength, 'characters');
      if (flaw) return { path, text: flaw };
    }
    if (typeof pattern === 'string' && !this.#fits(pattern, value))
      return { path, text: `must match the pattern ${pattern.slice(0, 100)}` };
    return undefined;
  }

  #fits(source: string, text: string): boolean {
    const pattern = this.#schema.pattern(source);
    if (!pattern) return true;
    this.#spend((text.length * pattern.size) / 2);
    return pattern.test(text);
  }

  #list(schema: Part, value: unknown[], path: string): Flaw | undefined {
    const amount = amountFlaw(value.length, schema.minItems, schema.maxItems, 'items');
    if (amount) return { path, text: amount };
    // In older drafts a list in `items` means `prefixItems`.
    const isOlder = Array.isArray(schema.items);
    const first = (isOlder ? schema.items : (schema.prefixItems ?? [])) as Schema[];
    const rest = (isOlder ? schema.additionalItems : schema.items) as Schema | undefined;
    for (const [index, item] of value.entries()) {
      const part = first[index] ?? rest;
      const flaw = part === undefined ? undefined : this.check(part, item, `${path}[${index}]`);
      if (flaw) return flaw;
    }
    if (schema.uniqueItems === true) {
      const seen = new Set(value.map((item) => this.#canonical(item)));
      if (seen.size < value.length) return { path, text: 'must not have duplicate items' };
    }
    if (schema.contains === undefined) return undefined;
    const found = value.filter((item) => this.#matches(schema.contains, item)).length;
    const { minContains = 1, maxContains } = schema;
    const flaw = amountFlaw(found, minContains, maxContains, 'matching items');
    return flaw === undefined ? undefined : { path, text: flaw };
  }

  #object(schema: Part, value: Record<string, unknown>, path: string): Flaw | undefined {
    const names = Object.keys(value);
    const amount = amountFlaw(names.length, schema.minProperties, schema.maxProperties, 'fields');
    if (amount) return { path, text: amount };
    for (const name of (schema.required ?? []) as string[])
      if (!Object.hasOwn(value, name)) return { path: below(path, name), text: 'is required' };
    for (const name of names) {
      const flaw = this.#field(schema, name, value[name], below(path, name));
      if (flaw) return flaw;
    }
    return this.#dependencies(schema, value, path);
  }

  #field(schema: Part, name: string, value: unknown, path: string): Flaw | undefined {
    const { properties, patternProperties, additionalProperties, propertyNames } = schema;
    if (propertyNames !== undefined && !this.#matches(propertyNames, name))
      return { path, text: 'has a name that is not allowed' };
    let isKnown = false;
    if (isObject(properties) && Object.hasOwn(properties, name)) {
      isKnown = true;
      const flaw = this.check(properties[name] as Schema, value, path);
      if (flaw) return flaw;
    }
    for (const [pattern, part] of Object.entries((patternProperties ?? {}) as Record<string, Schema>)) {
      if (!this.#fits(pattern, name)) continue;
      isKnown = true;
      const flaw = this.check(part, value, path);
      if (flaw) return flaw;
    }
    if (isKnown || additionalProperties === undefined) return undefined;
    if (additionalProperties === false) return { path, text: 'is not known' };
    return this.check(additionalProperties as Schema, value, path);
  }

  #dependencies(schema: Part, value: Record<string, unknown>, path: string): Flaw | undefined {
    const { dependentRequired, dependentSchemas } = schema;
    if (isObject(dependentRequired)) {
      for (const [name, others] of Object.entries(dependentRequired)) {
        if (!Object.hasOwn(value, name) || !Array.isArray(others)) continue;
        const missing = others.find((other) => !Object.hasOwn(value, String(other)));
        if (missing !== undefined)
          return { path: below(path, String(missing)), text: `is required with ${name}` };
      }
    }
    if (!isObject(dependentSchemas)) return undefined;
    for (const [name, part] of Object.entries(dependentSchemas)) {
      const flaw = Object.hasOwn(value, name) ? this.check(part as Schema, value, path) : undefined;
      if (flaw) return flaw;
    }
    return undefined;
  }

  #combined(schema: Part, value: unknown, path: string): Flaw | undefined {
    for (const part of (schema.allOf ?? []) as Schema[]) {
      const flaw = this.check(part, value, path);
      if (flaw) return flaw;
    }
    const { anyOf, oneOf, not } = schema as { anyOf?: Schema[]; oneOf?: Schema[]; not?: Schema };
    if (anyOf && !anyOf.some((part) => this.#matches(part, value)))
      return { path, text: 'must match one of the allowed schemas' };
    if (oneOf && oneOf.filter((part) => this.#matches(part, value)).length !== 1)
      return { path, text: 'must match exactly one of the allowed schemas' };
    if (not !== undefined && this.#matches(not, value))
      return { path, text: 'matches a schema that is not allowed' };
    if (schema.if === undefined) return undefined;
    const branch = this.#matches(schema.if, value) ? schema.then : schema.else;
    return branch === undefined ? undefined : this.check(branch as Schema, value, path);
  }

  /** Equal values have equal texts, whatever the order of their fields. */
  #canonical(value: unknown): string {
    this.#spend(1);
    if (typeof value === 'string') this.#spend(value.length / 16);
    if (Array.isArray(value)) return `[${value.map((item) => this.#canonical(item)).join()}]`;
    if (!isObject(value)) return JSON.stringify(value) ?? 'null';
    const fields = Object.keys(value).sort();
    return `{${fields.map((name) => `${JSON.stringify(name)}:${this.#canonical(value[name])}`).join()}}`;
  }
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function numberFlaw(schema: Part, value: number, path: string): Flaw | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
    string,
    number
  >;
  const text =
    (minimum !== undefined && value < minimum && `must be ${minimum} or more`) ||
    (maximum !== undefined && value > maximum && `must be ${maximum} or less`) ||
    (exclusiveMinimum !== undefined &&
      value <= exclusiveMinimum &&
      `must be more than ${exclusiveMinimum}`) ||
    (exclusiveMaximum !== undefined &&
      value >= exclusiveMaximum &&
      `must be less than ${exclusiveMaximum}`) ||
    (multipleOf !== undefined && !isMultiple(value, multipleOf) && `must be a multiple of ${multipleOf}`);
  return text ? { path, text } : undefined;
}

/** Decimal fractions are not exact: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.max(1, Math.abs(quotient));
}

function amountFlaw(amount: number, least: unknown, most: unknown, what: string): string | undefined {
  if (typeof least === 'number' && amount < least) return `must have ${least} ${what} or more`;
  if (typeof most === 'number' && amount > most) return `must have ${most} ${what} or fewer`;
  return undefined;
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const shown = (value: unknown): string => JSON.stringify(value).slice(0, 60);

const withArticle = (type: string): string =>
  type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
