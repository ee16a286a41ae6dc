import { expect, test } from 'vitest';
import { toolProblem } from './validate-tool.ts';

const tool = (name: string, extra: Record<string, unknown> = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  ...extra,
});

test.each([
  [{ description: 'd', inputSchema: { type: 'object' } }, "Missing 'name' field"],
  [{ name: 'x', inputSchema: { type: 'object' } }, "Missing 'description' field"],
  [{ name: 'x', description: 'd' }, "Missing 'inputSchema' field"],
  [tool('x', { description: 5 }), "'description' must be a string"],
  [tool('x', { inputSchema: { type: 'string' } }), "'inputSchema' must have type 'object'"],
  [tool('x', { inputSchema: { type: 'object', properties: [] } }), "'properties' must be an object"],
  [tool('x', { inputSchema: { type: 'object', required: 'a' } }), "'required' must be a list of strings"],
  [
    tool('x', { inputSchema: { type: 'object', required: ['a'] } }),
    "Required field 'a' is not in 'properties'",
  ],
  [tool('x', { inputSchema: { type: 'object', required: ['a'], properties: { a: {} } } }), undefined],
  ['text', 'Not an object'],
])('checks each tool on its own: %j', (candidate, problem) => {
  expect(toolProblem(candidate)).toBe(problem);
});

test('refuses schemas that are too deep or too large', () => {
  let deep: object = { type: 'object' };
  for (let level = 0; level < 5000; level++) deep = { type: 'object', properties: { a: deep } };
  expect(toolProblem(tool('deep', { inputSchema: deep }))).toMatch(/Nested deeper/);
  expect(toolProblem(tool('wide', { description: 'x'.repeat(300_000) }))).toMatch(/Larger than/);
});
