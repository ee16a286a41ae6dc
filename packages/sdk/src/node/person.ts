import { userInfo } from 'node:os';
import { agentNameOf, nameKey } from '@agent-relay/protocol';

/** The user running this process, as an agent name. */
export function personName(): string {
  return agentNameOf(loginName());
}

/** Whether an agent name is that user. */
export const isPerson = (name: string): boolean => nameKey(name) === nameKey(personName());

function loginName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // In a container, a user id may have no account.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
    return process.env.USER ?? '';
  }
}
