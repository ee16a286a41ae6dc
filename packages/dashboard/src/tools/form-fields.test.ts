import { describe, expect, it } from 'vitest';
import { draftOf, type Field, fieldsOf } from './form-fields.ts';
import { argumentsFrom, initialValues } from './form-values.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'A file' },
    lines: { type: 'integer' },
    deep: { type: 'boolean' },
    mode: { enum: ['fast', 'safe'] },
    filter: { type: 'object' },
  },
  required: ['path', 'lines'],
};

describe('a form for a tool', () => {
  it('has a field for each argument, and JSON for complex ones', () => {
    expect(fieldsOf(schema)?.map(({ name, shape, required }) => [name, shape.kind, required])).toEqual([
      ['path', 'text', true],
      ['lines', 'number', true],
      ['deep', 'flag', false],
      ['mode', 'choice', false],
      ['filter', 'json', false],
    ]);
    expect(fieldsOf({})).toEqual([]);
    expect(fieldsOf({ anyOf: [] })).toBeUndefined();
    expect(fieldsOf({ properties: 'nonsense' })).toBeUndefined();
  });

  it('turns the values into arguments', () => {
    const fields = fieldsOf(schema) as Field[];
    const filled = (values: Record<string, string>) => argumentsFrom(fields, new Map(Object.entries(values)));
    expect(filled({ path: 'a.ts', lines: '3', deep: 'true', mode: 'safe', filter: '{"a":[1]}' })).toEqual({
      path: 'a.ts',
      lines: 3,
      deep: true,
      mode: 'safe',
      filter: { a: [1] },
    });
    expect(filled({ lines: '0' })).toEqual({ path: '', lines: 0 });
    expect(() => filled({ path: 'a' })).toThrow('lines is missing.');
    expect(() => filled({ lines: 'many' })).toThrow('lines is not a number.');
    expect(() => filled({ lines: '1', filter: '{' })).toThrow(/filter is not valid JSON/);
  });

  it('supports objects, lists, unions, references and nullable values', () => {
    const rich = {
      $ref: '#/$defs/all',
      $defs: {
        all: {
          type: 'object',
          properties: {
            tags: { type: 'array', items: { type: 'string' }, default: ['a', 'b'] },
            sizes: { type: 'array', items: { type: 'number' } },
            level: { anyOf: [{ const: 1 }, { const: 'high' }] },
            note: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'A note' },
            count: { type: ['integer', 'null'] },
            place: { $ref: '#/$defs/place' },
            pairs: { type: 'object', additionalProperties: { type: 'string' } },
            either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
            rows: { type: 'array', items: { type: 'object' } },
          },
        },
        place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    };
    const fields = fieldsOf(rich) as Field[];
    expect(fields.map(({ name, shape }) => [name, shape.kind])).toEqual([
      ['tags', 'list'],
      ['sizes', 'list'],
      ['level', 'choice'],
      ['note', 'text'],
      ['count', 'number'],
      ['place', 'group'],
      ['pairs', 'json'],
      ['either', 'json'],
      ['rows', 'json'],
    ]);
    const filled = (values: Record<string, string>) => argumentsFrom(fields, new Map(Object.entries(values)));
    expect(initialValues(fields)).toEqual(new Map([['tags', 'a\nb']]));
    expect(filled({ tags: 'x\ny', sizes: '1\n2.5', level: '1', 'place\ncity': 'Bonn' })).toEqual({
      tags: ['x', 'y'],
      sizes: [1, 2.5],
      level: 1,
      place: { city: 'Bonn' },
    });
    expect(filled({})).toEqual({});
    expect(() => filled({ count: '1.5' })).toThrow('count is not a whole number.');
    expect(() => filled({ sizes: 'x' })).toThrow('sizes is not a number.');
  });

  it('uses JSON for recursive and deep schemas', () => {
    const loop = { type: 'object', properties: { next: { $ref: '#' } } };
    expect(fieldsOf(loop)?.map(({ shape }) => shape.kind)).toEqual(['json']);
    const tree = { type: 'object', properties: { node: { $ref: '#/$defs/node' } }, $defs: { node: {} } };
    Object.assign(tree.$defs.node, { type: 'object', properties: { child: { $ref: '#/$defs/node' } } });
    expect(JSON.stringify(fieldsOf(tree))).toContain('"kind":"json"');
  });

  it('starts the editor with the required arguments', () => {
    expect(JSON.parse(draftOf({ ...schema, anyOf: [] }))).toEqual({ path: '', lines: 0 });
  });
});
