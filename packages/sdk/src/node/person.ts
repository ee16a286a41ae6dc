import { userInfo } from 'node:os';
import { agentNameOf, nameKey } from '@agent-relay/protocol';

/** The name of the person whose processes these are, as an agent of the relay. */
export function personName(): string {
  return agentNameOf(loginName());
}

/** Whether an agent of this name is that person. */
export const isPerson = (name: string): boolean => nameKey(name) === nameKey(personName());

function loginName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // In a container, a user may be a number that no account has.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
    return process.env.USER ?? '';
  }
}
