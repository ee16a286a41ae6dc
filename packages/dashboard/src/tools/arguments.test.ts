import { describe, expect, it } from 'vitest';
import { argumentsFrom, type Field, fieldsOf } from './arguments.ts';

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
  it('has a field for each argument, and JSON where it is beyond one', () => {
    expect(fieldsOf(schema)?.map(({ name, kind, required }) => [name, kind, required])).toEqual([
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

  it('makes arguments of what was filled in', () => {
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
    expect(() => filled({ lines: '1', filter: '{' })).toThrow('filter is not valid JSON.');
  });
});
