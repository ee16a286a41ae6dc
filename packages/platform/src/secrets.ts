// Pure code: the relay's core, which does no I/O, uses it too.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits need no slow hash: they cannot be guessed, and a lookup stays fast. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Compares secrets in constant time. */
export const sameSecret = (one: string, other: string): boolean =>
  sameHash(hashSecret(one), hashSecret(other));

const chance = (): string => randomBytes(32).toString('base64url');

/** Matches `isAgentToken`. */
export const newAgentToken = (): string => `at_${chance()}`;

/** Identifies a token without revealing it; `hash` is the token's hash. */
export const tokenIdOfHash = (hash: string): string => hash.slice(0, 16);

export const tokenId = (token: string): string => tokenIdOfHash(hashSecret(token));

export const isTokenId = (text: string): boolean => /^[0-9a-f]{16}$/.test(text);

/** A key carries its public id, by which it is listed and revoked: `rk_<id>_<secret>`. */
export function newWorkspaceKey(): { id: string; key: string } {
  const id = randomBytes(4).toString('hex');
  return { id, key: `rk_${id}_${chance()}` };
}

/** The same for what signs a browser in to the dashboard: `ps_<id>_<secret>`. */
export function newPageSession(): { id: string; session: string } {
  const id = randomBytes(4).toString('hex');
  return { id, session: `ps_${id}_${chance()}` };
}

/** A program with the agent's token that knows the id of its run can speak for the host, so the id must not be guessable. */
export const newRunId = (newId: (word: string) => string): string =>
  `${newId('run')}${randomBytes(10).toString('hex')}`;

/** What a browser shows once to be signed in. */
export const newPageCode = (): string => `pc_${chance()}`;

export const workspaceKeyId = (key: string): string => publicId(key);
export const pageSessionId = (session: string): string => publicId(session);

const publicId = (secret: string): string => secret.split('_')[1] ?? '';
