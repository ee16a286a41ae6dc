import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { systemReason } from './system-reason.ts';

const failure = (path: string): Promise<unknown> => readFile(path).catch((error: unknown) => error);

it('tells why the system refused a file, in words of ours where there are any', async () => {
  expect(systemReason(await failure('/nowhere'), 'it is not there')).toBe('it is not there');
  expect(systemReason(await failure('/'), 'it is not there')).toBe('it is a directory');
  expect(systemReason(await failure(`/${'x'.repeat(1000)}`), 'it is not there')).toContain('ENAMETOOLONG');
});
