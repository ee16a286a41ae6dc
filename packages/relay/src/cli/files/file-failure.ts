import { systemReason } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';

export const cannotRead = (path: string, cause: unknown): RelayError =>
  new RelayError(
    'InvalidRequest',
    `${path} cannot be read: ${systemReason(cause, 'there is no such file')}.`,
    {
      next: 'Check the path of the file.',
      cause,
    },
  );

export const cannotWrite = (path: string, cause: unknown, next: string): RelayError =>
  new RelayError(
    'InvalidRequest',
    `${path} cannot be written: ${systemReason(cause, 'there is no such directory')}.`,
    { next, cause },
  );
