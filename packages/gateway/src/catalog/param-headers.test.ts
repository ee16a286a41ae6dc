import { expect, it } from 'vitest';
import { paramHeaders, readParamHeaders } from './param-headers.ts';

const withHeader = (header: unknown, type = 'string') => ({ type, 'x-mcp-header': header });
const schema = (properties: Record<string, unknown>, more = {}) => ({ type: 'object', properties, ...more });

it('finds declarations in nested properties', () => {
  const nested = schema({
    region: withHeader('Region'),
    user: schema({ id: withHeader('User', 'integer') }),
  });
  expect(readParamHeaders(nested)).toEqual([
    { path: ['region'], header: 'Region' },
    { path: ['user', 'id'], header: 'User' },
  ]);
});

it.each([
  ['one header twice', schema({ a: withHeader('X'), b: withHeader('x') }), 'names one header twice'],
  ['no header name', schema({ a: withHeader('not a token') }), 'is not the name of a header'],
  ['a number', schema({ a: withHeader('X', 'number') }), 'strings, integers and booleans only'],
  ['the schema itself', withHeader('X'), 'on properties only'],
  ['below anyOf', schema({}, { anyOf: [schema({ a: withHeader('X') })] }), 'on properties only'],
])('refuses %s', (_what, declared, problem) => {
  expect(() => readParamHeaders(declared)).toThrow(problem);
});

it('sends plain text unchanged, other text in base64, and nothing for other values', () => {
  const declared = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ path: [name], header: name.toUpperCase() }));
  expect(paramHeaders(declared, { a: 'eu west', b: 7, c: 'süd\n', d: { not: 'text' } })).toEqual({
    'Mcp-Param-A': 'eu west',
    'Mcp-Param-B': '7',
    'Mcp-Param-C': `=?base64?${Buffer.from('süd\n').toString('base64')}?=`,
  });
  const [only] = declared;
  const forged = '=?base64?eA==?=';
  expect(paramHeaders(only ? [only] : [], { a: forged })['Mcp-Param-A']).toBe(
    `=?base64?${Buffer.from(forged).toString('base64')}?=`,
  );
});
