import {
  type AddressedMessage,
  AUTHORITIES,
  type Message,
  safeLine,
  safeText,
  senderOf,
} from '@agent-relay/protocol';

/** Limit of what is typed into a terminal. */
const MOST_BYTES = 4096;

/**
 * A message as typed into an agent's terminal. The first line is the relay's own; the sender and its authority
 * are what the daemon knows, never what the text claims. Every line of the text is marked, so that none can pass for the
 * relay's, a command of the CLI or a pattern. It is never parsed again.
 */
export function envelopeOf(message: AddressedMessage): string {
  const notes = [
    // One that a newer daemon knows gives no authority here.
    AUTHORITIES[message.authority] ?? AUTHORITIES.peer,
    message.kind === 'free' ? undefined : message.kind,
    message.importance === 'normal' ? undefined : `${message.importance} importance`,
    message.thread && `thread ${quoted(message.thread)}`,
    message.awaitsReply && 'waiting for your reply in this thread',
    ...(message.attachments ?? []).map(({ id, name }) => `file ${quoted(name)} (${id})`),
  ].filter((note) => note !== undefined);
  const channel = message.channel === undefined ? '' : ` [${message.channel}]`;
  const head = `Relay message from ${senderOf(message)} [${message.id}]${channel}: ${notes.join(', ')}`;
  return [safeLine(head), ...bodyLines(message)].join('\n');
}

function bodyLines({ redacted, content, id }: Message): string[] {
  if (redacted) return ['| (redacted)'];
  const text = safeText(content);
  const shown = fittingPart(text);
  const lines = shown.split('\n').map((line) => `| ${line}`);
  if (shown.length === text.length) return lines;
  const rest = Buffer.byteLength(text) - Buffer.byteLength(shown);
  return [
    ...lines,
    `(${rest} more bytes: read the whole message ${safeLine(id)} with relay_inbox, unread_only false)`,
  ];
}

/** Text chosen by others must not be able to continue ours. */
const quoted = (text: string): string => JSON.stringify(safeLine(text));

/** The text, cut to the limit at a whole character. */
function fittingPart(text: string): string {
  if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  const bytes = Buffer.from(text);
  let end = MOST_BYTES;
  // Skip continuation bytes.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
