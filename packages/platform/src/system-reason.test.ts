import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { systemReason } from './system-reason.ts';

const failure = (path: string): Promise<unknown> => readFile(path).catch((error: unknown) => error);

it('explains why a file operation failed, in plain words if known', async () => {
  expect(systemReason(await failure('/nowhere'), 'it does not exist')).toBe('it does not exist');
  expect(systemReason(await failure('/'), 'it does not exist')).toBe('it is a directory');
  expect(systemReason(await failure(`/${'x'.repeat(1000)}`), 'it does not exist')).toContain('ENAMETOOLONG');
});
