import { RelayError } from '@agent-relay/protocol';
import type { MessageDraft } from './ports/store.ts';

/** What is refused before anything of a message is stored. */
export function checkBody(content: string, maxBytes: number): void {
  if (content.trim() === '') throw new RelayError('EmptyBody');
  if (!content.isWellFormed()) throw wrongField('content', 'not valid Unicode (half of a surrogate pair).');
  const bytes = Buffer.byteLength(content);
  if (bytes > maxBytes) {
    throw new RelayError('BodyTooLarge', `The message has ${bytes} bytes; ${maxBytes} is the limit.`);
  }
}

export const alreadyExpired = (expiresAt: number | undefined, now: number): RelayError | undefined =>
  expiresAt === undefined || expiresAt > now ? undefined : wrongField('expiresAt', 'is in the past.');

export const awaitsOneAgent = (): RelayError =>
  wrongField('await', 'only the answer of one agent can be awaited.');

/** What the store, too, calls the same message. */
export const isRepetition = (one: MessageDraft, other: MessageDraft): boolean =>
  (['conversationId', 'body', 'kind', 'importance', 'replyTo'] as const).every(
    (field) => one[field] === other[field],
  );

export const idConflict = (clientId: string, messageId: string): RelayError =>
  new RelayError('IdConflict', `The id "${clientId}" was used before for another message (${messageId}).`);

const wrongField = (field: string, why: string): RelayError =>
  new RelayError('InvalidRequest', `${field}: ${why}`, { details: { field } });
