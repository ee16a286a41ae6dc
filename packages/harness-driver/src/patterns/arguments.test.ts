import { expect, it } from 'vitest';
import { argumentsOf } from './arguments.ts';

const API = {
  type: 'object',
  properties: { method: { type: 'string' }, path: { type: 'string' }, body: { type: 'object' } },
  required: ['method', 'path', 'body'],
};
const SUM = {
  properties: { a: { type: 'number' }, b: { type: 'integer' } },
  required: ['a', 'b'],
};

it.each<[words: string, schema: object | undefined, args: Record<string, unknown>]>([
  ['', API, {}],
  ['{"user": "test"}', API, { user: 'test' }],
  ['SELECT COUNT(*) FROM users', undefined, { query: 'SELECT COUNT(*) FROM users' }],
  ['SELECT 1', { properties: { sql: { type: 'string' } }, required: ['sql'] }, { sql: 'SELECT 1' }],
  ['all of it', { properties: { limit: { type: 'number' } } }, { query: 'all of it' }],
  ['POST /api/login {"user": "test"}', API, { method: 'POST', path: '/api/login', body: { user: 'test' } }],
  ['POST  /api', API, { method: 'POST', path: '/api' }],
  ['1.5 2', SUM, { a: 1.5, b: 2 }],
  ['one 2', SUM, { a: 'one', b: 2 }],
  ['{not json', undefined, { query: '{not json' }],
  ['[1,2]', { required: ['list'] }, { list: [1, 2] }],
])('%s', (words, schema, args) => {
  expect(argumentsOf(words, schema)).toEqual(args);
});
