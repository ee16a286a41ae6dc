import { randomBytes, scryptSync } from 'node:crypto';

/** What is kept of a key to recognise it again. Salted and slow to compute: people make up keys that can be guessed. */
export function keyMark(key: string, salt = randomBytes(16).toString('hex')): string {
  return `${salt}:${scryptSync(key, salt, 32).toString('hex')}`;
}

export const isMarkOf = (mark: string, key: string): boolean => keyMark(key, mark.split(':')[0]) === mark;
