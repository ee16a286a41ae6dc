import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CheckedSchema } from './schema.ts';
import { validate } from './validate.ts';

const flawOf = (schema: unknown, value: unknown) => validate(new CheckedSchema(schema), value);

describe('validate', () => {
  it.each([
    [{ type: 'string' }, 1, { path: '', text: 'must be a string' }],
    [{ type: ['integer', 'null'] }, 1.5, { path: '', text: 'must be an integer or null' }],
    [{ required: ['a'] }, {}, { path: 'a', text: 'is required' }],
    [
      { properties: { a: { items: { minimum: 2 } } } },
      { a: [2, 1] },
      { path: 'a[1]', text: 'must be 2 or more' },
    ],
    [{ properties: {}, additionalProperties: false }, { b: 1 }, { path: 'b', text: 'is not known' }],
    [{ enum: ['x', { y: 1 }] }, { y: 2 }, { path: '', text: 'must be one of "x", {"y":1}' }],
    [{ pattern: '^a+$' }, 'ab', { path: '', text: 'must match the pattern ^a+$' }],
    [{ contains: { const: 1 } }, [2], { path: '', text: 'must have 1 matching items or more' }],
    [{ multipleOf: 0.1 }, 0.35, { path: '', text: 'must be a multiple of 0.1' }],
  ])('reports the place and the mistake: %j', (schema, value, flaw) => {
    expect(flawOf(schema, value)).toEqual(flaw);
  });

  it.each([
    [{ $ref: '#/$defs/node', $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } } }],
    [{ type: 'object', properties: { next: { $ref: '#' } } }],
    [{ items: [{ type: 'string' }], additionalItems: false }],
    [{ pattern: '(?=x)' }],
    [{ format: 'email' }],
    [true],
  ])('accepts valid values: %j', (schema) => {
    expect(flawOf(schema, { next: { next: {} } })).toBeUndefined();
  });

  it('follows recursive schemas', () => {
    const tree = {
      $defs: {
        node: {
          type: 'object',
          properties: { left: { $ref: '#/$defs/node' }, value: { type: 'number' } },
          required: ['value'],
        },
      },
      $ref: '#/$defs/node',
    };
    expect(flawOf(tree, { value: 1, left: { value: 2, left: {} } })).toEqual({
      path: 'left.left.value',
      text: 'is required',
    });
  });

  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [
      `d${i}`,
      { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  );
  it.each([
    ['that refer to themselves', { $ref: '#' }, {}],
    ['that refer to each other', { allOf: [{ $ref: '#' }, { $ref: '#' }] }, {}],
    ['that double at each step', { $ref: '#/$defs/d0', $defs: { ...doubling, d60: {} } }, {}],
    ['with a pattern that backtracks', { pattern: '^(a+)+$' }, `${'a'.repeat(100_000)}!`],
    ['with a pattern that grows', { pattern: '((a{1,30}){1,30})$' }, 'a'.repeat(100_000)],
    [
      'that compare everything with everything',
      { uniqueItems: true, items: { enum: Array.from({ length: 4000 }, (_, i) => i) } },
      Array.from({ length: 4000 }, (_, i) => i),
    ],
  ])('gives up on schemas %s, in bounded time', (_, schema, value) => {
    expect(flawOf(schema, value)).toEqual({
      path: '',
      text: 'is too complex to check against the schema',
      isUnchecked: true,
    });
  });

  it('ignores fields of prototypes', () => {
    expect(flawOf({ required: ['constructor'] }, {})).toMatchObject({ path: 'constructor' });
    const own = JSON.parse('{"__proto__": {"type": "string"}}');
    expect(flawOf({ properties: own }, JSON.parse('{"__proto__": 1}'))).toMatchObject({ path: '__proto__' });
    expect(flawOf({ properties: { toString: { type: 'string' } } }, {})).toBeUndefined();
  });

  it('agrees with another validator on any schema of known keywords', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const other = new Validator(schema as object, '2020-12').validate(value);
        expect(flawOf(schema, value) === undefined).toBe(other.valid);
      }),
      { numRuns: 1500 },
    );
  });

  it('throws only for an invalid schema, and always ends', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6 }),
        anySchema,
        fc.jsonValue({ maxDepth: 6 }),
        (junk, schema, value) => {
          for (const candidate of [junk, schema]) {
            let checked: CheckedSchema;
            try {
              checked = new CheckedSchema(candidate);
            } catch (error) {
              expect((error as Error).message).toMatch(/schema|must be|has |refers/);
              continue;
            }
            validate(checked, value);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

const names = fc.constantFrom('a', 'b', 'c');
const small = fc.integer({ min: 0, max: 3 });
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.integer({ min: -2, max: 4 }),
    fc.constantFrom('', 'a', 'ab', 'abc'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
})).value;

const schemas = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object', 'null'),
        minimum: small,
        exclusiveMaximum: small,
        minLength: small,
        maxLength: small,
        pattern: fc.constantFrom('^a', 'b$', '[ab]c?'),
        minItems: small,
        maxItems: small,
        minProperties: small,
        required: fc.uniqueArray(names, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        const: values,
        enum: fc.uniqueArray(values, {
          minLength: 1,
          maxLength: 3,
          comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
        }),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        items: tie('schema'),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        contains: tie('schema'),
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        properties: fc.dictionary(names, tie('schema'), { maxKeys: 2 }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('schema'), { maxKeys: 2 }),
        additionalProperties: tie('schema'),
        propertyNames: tie('schema'),
        dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        not: tie('schema'),
      },
      { requiredKeys: [] },
    ),
    fc
      .tuple(tie('schema'), tie('schema'), tie('schema'))
      .map((parts) => Object.fromEntries(['if', 'then', 'else'].map((keyword, i) => [keyword, parts[i]]))),
  ),
})).schema;

/** Keywords with anything behind them, and references that lead anywhere. */
const anySchema = fc.dictionary(
  fc.constantFrom(
    '$ref',
    '$defs',
    'type',
    'items',
    'properties',
    'allOf',
    'enum',
    'pattern',
    'required',
    'minItems',
    'not',
  ),
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('#', '#/$defs/a', '#/allOf/0', '#/properties/%', 'file:///etc/passwd', '(', '^(a|a)*$'),
    fc.constant([{ $ref: '#' }, { $ref: '#' }]),
  ),
);
