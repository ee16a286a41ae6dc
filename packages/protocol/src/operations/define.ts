import { z } from 'zod';

/** Marks the type of an operation's result; results come from the daemon, so only the daemon checks them, by type. */
export const result = <T>() => undefined as unknown as T;

export const none = z.object({}).strict();
export type Nothing = Record<never, never>;

/** Somebody's or something's name in a request: checked against the grammar by whoever looks it up. */
export const name = z.string().max(256);
export const messageId = z.string().max(64);
export const sequence = z.int().nonnegative();

/** Where the next page of a list begins: `next` of the answer before. Only the daemon knows what it means. */
export const cursor = z.string().max(64);
