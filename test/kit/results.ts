import { expect } from 'vitest';
import type { CliResult } from './cli.ts';

/** What a command prints when it works. */
export function output(result: CliResult): string {
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.stdout;
}

export const json = (result: CliResult) => JSON.parse(output(result));

/** What every failure looks like to a person. */
export function expectFailure(result: CliResult, code: number, message: RegExp, next?: RegExp): void {
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toMatch(/^error: [^\n]+\n/);
  expect(result.stderr).toMatch(message);
  expect(result.stderr).toMatch(/\nnext: .+\n$/);
  if (next) expect(result.stderr).toMatch(next);
}
