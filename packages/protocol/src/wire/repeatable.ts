import type { OperationName } from '../operations/operations.ts';

/**
 * Whether a request can simply be sent again when its answer was lost with the connection: it only reads, or doing it
 * twice has the same effect as once; SEND and SPAWN are known again by the id of the request. The others fail with `Connection`, because it is unknown whether they happened.
 */
const NOT_REPEATABLE: ReadonlySet<OperationName> = new Set([
  'WORKSPACE_CREATE',
  'WORKSPACE_RENAME',
  'WORKSPACE_REMOVE',
  'KEY_CREATE',
  'KEY_ROTATE',
  'TOKEN_ROTATE',
  'AGENT_RENAME',
  'AGENT_REMOVE',
  'CHANNEL_CREATE',
  'ATTACH',
  'SERVER_ADD',
  'SERVER_REMOVE',
  'RELEASE',
  'RESUME',
  'CALL',
  'RESULT',
  'PROGRESS',
]);
export const isRepeatable = (operation: OperationName): boolean =>
  !NOT_REPEATABLE.has(operation) && !isOnlyNow(operation);

/** A person's decisions about what they see: never kept for a later connection, when it may be about something else. */
const ONLY_NOW: ReadonlySet<OperationName> = new Set([
  'CONSENT_ANSWER',
  'PROMPT_ANSWER',
  'HELD_RELEASE',
  'SERVER_APPROVE',
]);
export const isOnlyNow = (operation: OperationName): boolean => ONLY_NOW.has(operation);
