import { type AgentInfo, type Message, nameKey, safeLine, safeText, senderOf } from '@agent-relay/protocol';

/** More than this is not typed into a terminal. */
const MOST_BYTES = 4096;

/** What the relay knows of an agent, beside its name. */
export type KnownAgent = Pick<AgentInfo, 'name' | 'type' | 'lead' | 'parent'>;

/**
 * A message as it is typed into an agent's terminal. The first line is the relay's own, and who speaks is what the relay
 * knows of the connection, never what the text says. Every line of the text is marked, so that none can pass for the
 * relay's, for a command of the CLI or for a pattern. Nothing ever reads it back.
 */
export function envelopeOf(message: Message, agents: readonly KnownAgent[], self: string): string {
  const notes = [
    standingOf(message, agents, self),
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

/** What somebody else chose cannot go on in our words. */
const quoted = (text: string): string => JSON.stringify(safeLine(text));

/** Who speaks, with which authority. */
function standingOf(
  { from, fromProject, unverified }: Message,
  agents: readonly KnownAgent[],
  self: string,
): string {
  if (unverified) return 'sender name not verified';
  if (fromProject !== undefined) return 'from another project';
  const find = (name: string) => agents.find((agent) => nameKey(agent.name) === nameKey(name));
  const sender = find(from);
  if (sender?.type === 'human') return 'from a person';
  if (sender?.type === 'system') return 'from the relay';
  const { parent } = find(self) ?? {};
  if (parent !== undefined && nameKey(parent) === nameKey(from)) return 'from the agent you work for';
  return sender?.lead ? 'from the lead agent' : 'from a peer agent';
}

/** As much of the text as a terminal is given, in whole characters. */
function fittingPart(text: string): string {
  if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  const bytes = Buffer.from(text);
  let end = MOST_BYTES;
  // A byte that continues a character does not begin one.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
