import type { IncomingMessage } from 'node:http';
import { isOwnUser } from './own-user.ts';

/** The header by which a client that holds a key says which agent it is. */
export const AGENT_HEADER = 'x-relay-agent';

export interface KeyRule {
  /** Whether everybody has to show a key. If not, a program of this user needs none. */
  needsKey: boolean;
  isKeyValid(key: string): boolean | Promise<boolean>;
}

/** What a request was let in for: the key it shows, or that a program of this user sends it. */
export type Credential = { key: string } | 'own user';

/** Finds out what a request may be let in for, if anything. A key that is shown must be right, also where none is needed. */
export async function identify(request: IncomingMessage, rule: KeyRule): Promise<Credential | undefined> {
  const { authorization } = request.headers;
  if (authorization === undefined)
    return !rule.needsKey && (await isOwnUser(request)) ? 'own user' : undefined;
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  return key !== undefined && (await rule.isKeyValid(key)) ? { key } : undefined;
}

/** The agent a request says it is for. */
export function agentNameIn({ headers }: IncomingMessage): string | undefined {
  const name = headers[AGENT_HEADER];
  return typeof name === 'string' && name !== '' ? name : undefined;
}
