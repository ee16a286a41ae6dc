import { wrap } from '@agent-relay/platform';
import type { Command } from 'commander';
import { columns } from './terminal.ts';

/** Between a word and what it means. */
const GAP = 2;

/** Adds a titled list below the help of a command, laid out like its options. */
export function withHelpList(
  command: Command,
  title: string,
  entries: Readonly<Record<string, string>>,
): Command {
  return command.addHelpText('after', () => {
    const indent = 2 + GAP + Math.max(...Object.keys(entries).map((word) => word.length));
    const lines = Object.entries(entries).map(([word, text]) =>
      wrap(text, columns() - indent)
        .split('\n')
        .map((line, at) => `${at === 0 ? `  ${word}`.padEnd(indent) : ' '.repeat(indent)}${line}`)
        .join('\n'),
    );
    return `\n${title}:\n${lines.join('\n')}`;
  });
}
