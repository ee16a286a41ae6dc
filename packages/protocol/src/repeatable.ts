import type { OperationName } from './operations.ts';

/**
 * Whether a request may simply be sent again when its answer was lost with the connection: it reads, or doing it
 * twice is doing it once. The others fail with `Connection`, because nobody can know whether they happened.
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
  'HELD_RELEASE',
  'SPAWN',
  'RELEASE',
  'CALL',
  'RESULT',
  'PROGRESS',
]);
export const isRepeatable = (operation: OperationName): boolean => !NOT_REPEATABLE.has(operation);
