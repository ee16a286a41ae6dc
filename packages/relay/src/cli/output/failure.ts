import { errorLines, isRelayError, RelayError } from '@agent-relay/protocol';
import { CommanderError } from 'commander';
import { printJson } from './terminal.ts';

interface CommandLine {
  args: string[];
  /** The words that name the command. */
  words: string[];
}

/** Prints the error and the next step; returns the exit code. */
export function reportFailure(error: unknown, { json, ...line }: CommandLine & { json: boolean }): number {
  const failure = asRelayError(error, line);
  if (json) {
    printJson({ error: failure.toPayload() });
    return failure.exitCode;
  }
  process.stderr.write(errorLines(failure));
  return failure.exitCode;
}

function asRelayError(error: unknown, line: CommandLine): RelayError {
  if (isRelayError(error)) return error;
  if (error instanceof CommanderError) return fromCommander(error, line);
  return new RelayError('Internal', (error as Error)?.stack ?? String(error), { cause: error });
}

/** A usage error from commander, in our format. */
function fromCommander(error: CommanderError, { args, words }: CommandLine): RelayError {
  const help = ['agent-relay', ...words, '--help'].join(' ');
  if (error.code === 'commander.help') {
    const [first, ...others] = args;
    const named = first === 'help' ? others : args;
    return new RelayError('InvalidRequest', `Unknown command "${named.join(' ')}".`, {
      next: `See: ${help}`,
    });
  }
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const hint = rest.join(' ').replace(/^\(|\)$/g, '');
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1)}.`.replace(/\.\.$/, '.');
  return new RelayError('InvalidRequest', sentence, { next: hint || `See: ${help}` });
}
