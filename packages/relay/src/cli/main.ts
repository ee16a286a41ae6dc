import { CommanderError } from 'commander';
import { commandWords, insertLeading, splitLeading } from './leading-options.ts';
import { buildProgram } from './program.ts';

/** Runs one command line; the exit code says how it went. */
export async function main(args: string[]): Promise<void> {
  process.stdout.on('error', endQuietlyOnClosedPipe);
  process.stderr.on('error', endQuietlyOnClosedPipe);
  const { leading, rest } = splitLeading(args);
  let words: string[] = [];
  try {
    const program = await buildProgram(rest);
    words = commandWords(program, rest);
    await program.parseAsync(insertLeading(words, leading, rest), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const { reportFailure } = await import('./output/failure.ts');
    // Whatever the failed command left open must not keep it from ending.
    process.exit(reportFailure(error, { json: wantsJson(args), args: rest, words }));
  }
}

const wantsJson = (args: string[]): boolean => {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes('--json');
};

/** `agent-relay tail | head` has got all it wanted. */
function endQuietlyOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
}
