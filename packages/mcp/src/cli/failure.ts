import { errorLines, isRelayError, RelayError } from '@agent-relay/protocol';

export const usageError = (message: string): RelayError =>
  new RelayError('InvalidRequest', message, { next: 'See: agent-relay-mcp --help' });

/** Prints what went wrong and sets the exit code. */
export function reportFailure(error: unknown): void {
  const failure = asRelayError(error);
  process.stderr.write(errorLines(failure));
  process.exitCode = failure.exitCode;
}

function asRelayError(error: unknown): RelayError {
  if (isRelayError(error)) return error;
  // The messages of `parseArgs` are meant for people.
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')) {
    return usageError(error.message);
  }
  return new RelayError('Internal', (error as Error)?.stack ?? String(error), { cause: error });
}
