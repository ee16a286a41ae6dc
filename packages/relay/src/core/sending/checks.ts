import { RelayError } from '@agent-relay/protocol';
import type { MessageDraft } from '../ports/store/messages.ts';

/** Checks before a message is stored. */
export function checkBody(content: string, maxBytes: number): void {
  if (content.trim() === '') throw new RelayError('EmptyBody');
  if (!content.isWellFormed()) throw wrongField('content', 'not valid Unicode (half of a surrogate pair).');
  const bytes = Buffer.byteLength(content);
  if (bytes > maxBytes) {
    throw new RelayError('BodyTooLarge', `The message has ${bytes} bytes; the limit is ${maxBytes}.`);
  }
}

export const expiryRefusal = (expiresAt: number | undefined, now: number): RelayError | undefined =>
  expiresAt === undefined || expiresAt > now ? undefined : wrongField('expiresAt', 'is in the past.');

export const awaitNeedsOneAgent = (): RelayError => wrongField('await', 'works with one recipient only.');

const COMPARED = ['conversationId', 'body', 'kind', 'importance', 'replyTo', 'expiresAt'] as const;

type Compared = Pick<MessageDraft, (typeof COMPARED)[number] | 'id' | 'thread' | 'attachments'>;

/** Whether a message with a reused id is the same message. */
export const isRepetition = (again: Compared, first: Compared): boolean =>
  COMPARED.every((field) => again[field] === first[field]) &&
  givenThread(again) === givenThread(first) &&
  filesOf(again) === filesOf(first);

/** A question without a thread has its own id as thread, which differs each time. */
const givenThread = ({ id, thread }: Compared): string | undefined => (thread === id ? undefined : thread);

/** A resent file was uploaded again, with another id. */
const filesOf = ({ attachments }: Compared): string =>
  JSON.stringify(attachments.map(({ name, mediaType, sha256 }) => [name, mediaType, sha256]));

export const idConflict = (clientId: string, messageId: string): RelayError =>
  new RelayError(
    'IdConflict',
    `The id "${clientId}" was already used for a different message (${messageId}).`,
  );

const wrongField = (field: string, why: string): RelayError =>
  new RelayError('InvalidRequest', `${field}: ${why}`, { details: { field } });
