import type { Command } from 'commander';

/** The options that also work before the command, and whether a value follows them. */
const LEADING: Record<string, boolean> = { '--as': true, '--project': true, '--json': false };

/** Splits the options before the command from the command itself. */
export function splitLeading(args: string[]): { leading: string[]; rest: string[] } {
  let end = 0;
  for (let next = args[end]; next !== undefined; next = args[end]) {
    const [name = '', value] = next.split('=', 2);
    const takesValue = LEADING[name];
    if (takesValue === undefined) break;
    end += takesValue && value === undefined ? 2 : 1;
  }
  return { leading: args.slice(0, end), rest: args.slice(end) };
}

/** The words that name a command: none, one or several. */
export function commandWords(program: Command, rest: string[]): string[] {
  const end = rest.findIndex((_word, index) => !commandAt(program, rest.slice(0, index + 1)));
  return end < 0 ? rest : rest.slice(0, end);
}

/** The command that the words name. */
export const commandOf = (program: Command, words: string[]): Command => commandAt(program, words) ?? program;

const commandAt = (program: Command, words: string[]): Command | undefined =>
  words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((child) => child.name() === word),
    program,
  );

/**
 * Moves them after the name of the command, where its options belong. Without a valid command they are dropped:
 * the error, or the help, is about the rest.
 */
export function insertLeading(words: string[], leading: string[], rest: string[]): string[] {
  if (words.length === 0 && rest.length > 0) return rest;
  return [...words, ...leading, ...rest.slice(words.length)];
}
