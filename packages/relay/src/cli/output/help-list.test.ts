import { Command } from 'commander';
import { afterEach, expect, it, vi } from 'vitest';
import { withHelpList } from './help-list.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('wraps what a word means beside the word', () => {
  vi.spyOn(process, 'stdout', 'get').mockReturnValue({ isTTY: true, columns: 24 } as typeof process.stdout);
  let help = '';
  const command = new Command('wait').configureOutput({ writeOut: (text) => (help += text) });
  withHelpList(command, 'When', { now: 'at once', later: 'when its turn has ended' }).outputHelp();
  expect(help.slice(help.indexOf('\nWhen:'))).toBe(
    '\nWhen:\n  now    at once\n  later  when its turn\n         has ended\n',
  );
});
