import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { isOwnUser } from './own-user.ts';

/** The header in which a client with a key sends its agent name. */
export const AGENT_HEADER = 'x-relay-agent';

export interface KeyRule {
  /** Whether every request needs a key. If not, programs of this user need none. */
  needsKey: boolean;
  isKeyValid(key: string): boolean | Promise<boolean>;
}

/** Why a request was accepted: its key, or that a program of this user sent it. */
export type Credential = { key: string } | 'own user';

/** The credential of a request, if it has one. A key must be valid even if none is needed; a wrong one takes longer. */
export async function identify(request: IncomingMessage, rule: KeyRule): Promise<Credential | undefined> {
  const { authorization } = request.headers;
  if (authorization === undefined)
    return !rule.needsKey && (await isOwnUser(request)) ? 'own user' : undefined;
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (key !== undefined && (await rule.isKeyValid(key))) return { key };
  await afterWrongSecret();
  return undefined;
}

const WRONG_SECRET_MS = 250;

/**
 * Resolves when a wrong secret may be refused. Doors check first, and slow down only what is wrong: behind a tunnel all
 * clients have one address, so a right secret must not be refused for the wrong ones of others. A client that waits for its
 * answers gets four a second on each connection; one that does not costs a hash and at most one indexed read each time.
 */
export const afterWrongSecret = (): Promise<void> => delay(WRONG_SECRET_MS);

/** The agent name in a request's header. */
export function agentNameIn({ headers }: IncomingMessage): string | undefined {
  const name = headers[AGENT_HEADER];
  return typeof name === 'string' && name !== '' ? name : undefined;
}
