import { describe, expect, it } from 'vitest';
import { commandWords, insertLeading, splitLeading } from './leading-options.ts';
import { buildProgram } from './program.ts';

const arranged = async (...args: string[]) => {
  const { leading, rest } = splitLeading(args);
  return insertLeading(commandWords(await buildProgram(rest), rest), leading, rest);
};

describe('options before the command', () => {
  it.each([
    [
      ['--as', 'Alice', 'inbox'],
      ['inbox', '--as', 'Alice'],
    ],
    [
      ['--json', '--as=Alice', 'send', 'Bob', '--', '--x'],
      ['send', '--json', '--as=Alice', 'Bob', '--', '--x'],
    ],
    [
      ['--project', 'demo', 'workspace', 'key', 'list'],
      ['workspace', 'key', 'list', '--project', 'demo'],
    ],
    [
      ['send', 'Bob', '--as', 'Alice'],
      ['send', 'Bob', '--as', 'Alice'],
    ],
    [['--version'], ['--version']],
    [['--as'], ['--as']],
    [['--json', 'snd'], ['snd']],
    [['--json', '--help'], ['--help']],
  ])('%j is %j', async (args, meant) => {
    expect(await arranged(...args)).toEqual(meant);
  });
});
