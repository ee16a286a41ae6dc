import { writeSync } from 'node:fs';
import { errorLines } from '@agent-relay/protocol';
import { type Command, CommanderError } from 'commander';
import { cannotWrite } from './files/file-failure.ts';
import { commandOf, commandWords, insertLeading, splitLeading } from './leading-options.ts';
import { rememberStarter } from './process/parent.ts';
import { buildProgram } from './program.ts';

/** Runs one command line and sets the exit code. */
export async function main(args: string[]): Promise<void> {
  rememberStarter();
  process.stdout.on('error', endWithoutOutput);
  process.stderr.on('error', endWithoutOutput);
  const { leading, rest } = splitLeading(args);
  let words: string[] = [];
  let program: Command | undefined;
  try {
    program = await buildProgram(rest);
    words = commandWords(program, rest);
    await program.parseAsync(insertLeading(words, leading, rest), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    if (program && isGroupAlone(error, words, rest)) return commandOf(program, words).outputHelp();
    const { reportFailure } = await import('./output/failure.ts');
    // Open handles of a failed command must not keep the process alive.
    process.exit(reportFailure(error, { json: wantsJson(args), args: rest, words }));
  }
}

/** `agent-relay daemon` alone shows its help. */
const isGroupAlone = (error: unknown, words: string[], rest: string[]): boolean =>
  error instanceof CommanderError &&
  error.code === 'commander.help' &&
  words.length > 0 &&
  words.length === rest.length;

const wantsJson = (args: string[]): boolean => {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes('--json');
};

/** `agent-relay tail | head` closes the pipe early, which is fine; a full disk is reported, if possible. */
function endWithoutOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  const failure = cannotWrite('the output', error, 'Free some space, or write to another disk.');
  try {
    writeSync(process.stderr.fd, errorLines(failure));
  } finally {
    process.exit(failure.exitCode);
  }
}
