import { randomBytes, scryptSync } from 'node:crypto';

/** A salted, slow hash to recognize a key: keys chosen by people can be guessed. */
export function keyMark(key: string, salt = randomBytes(16).toString('hex')): string {
  return `${salt}:${scryptSync(key, salt, 32).toString('hex')}`;
}

export const isMarkOf = (mark: string, key: string): boolean => keyMark(key, mark.split(':')[0]) === mark;
