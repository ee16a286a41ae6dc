import { RelayError } from '@agent-relay/protocol';
import { failureText } from '../framework/failure.ts';

export const usageError = (message: string): RelayError =>
  new RelayError('InvalidRequest', message, { next: 'See: agent-relay-mcp --help' });

/** Tells a person what went wrong, and the caller by the exit code. */
export function reportFailure(error: unknown): void {
  const failure = error instanceof RelayError ? error : asUsageError(error);
  process.stderr.write(`${failureText(failure)}\n`);
  process.exitCode = failure.exitCode;
}

/** What `parseArgs` says about a wrong option is meant for people; anything else is not expected here. */
function asUsageError(error: unknown): RelayError {
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')) {
    return usageError(error.message);
  }
  throw error;
}
