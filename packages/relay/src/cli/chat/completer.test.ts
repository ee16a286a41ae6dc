import { expect, it } from 'vitest';
import { completeLine } from './completer.ts';

const names = { agents: async () => ['Alice', 'Alberta', 'Bob'], channels: async () => ['#general', '#dev'] };

it.each<[line: string, hits: string[], part: string]>([
  ['/re', ['/reply ', '/react ', '/readers '], '/re'],
  ['/join ', ['#general', '#dev', 'Alice', 'Alberta', 'Bob'], ''],
  ['/join #g', ['#general'], '#g'],
  ['/join b', ['Bob'], 'b'],
  ['hello @al', ['@Alice ', '@Alberta '], '@al'],
  ['/reply 3 @B', ['@Bob '], '@B'],
  ['see #d', ['#dev'], '#d'],
  ['hello', [], 'hello'],
  ['', [], ''],
])('%j', async (line, hits, part) => {
  expect(await completeLine(line, names)).toEqual([hits, part]);
});
