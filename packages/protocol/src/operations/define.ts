import { z } from 'zod';

/** Marks the type of an operation's result; results come from the daemon, so only the daemon checks them, by type. */
export const result = <T>() => undefined as unknown as T;

export const none = z.object({}).strict();
export type Nothing = Record<never, never>;

/** A name in a request; the lookup checks it against the grammar. */
export const name = z.string().max(256);
export const messageId = z.string().max(64);
export const sequence = z.int().nonnegative();

/** Where the next page of a list starts: `next` of the previous answer. Opaque to clients. */
export const cursor = z.string().max(64);
