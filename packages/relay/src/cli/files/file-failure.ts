import { systemReason } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';

export const cannotRead = (path: string, cause: unknown): RelayError =>
  new RelayError('InvalidRequest', `Cannot read ${path}: ${systemReason(cause, 'no such file')}.`, {
    next: 'Check the path.',
    cause,
  });

export const cannotWrite = (path: string, cause: unknown, next: string): RelayError =>
  new RelayError('InvalidRequest', `Cannot write ${path}: ${systemReason(cause, 'no such directory')}.`, {
    next,
    cause,
  });
