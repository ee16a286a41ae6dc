import { randomBytes } from 'node:crypto';

/** A token for an agent that brings its own, of the form that `isAgentToken` knows. */
export const newAgentToken = (): string => `at_${randomBytes(32).toString('base64url')}`;
