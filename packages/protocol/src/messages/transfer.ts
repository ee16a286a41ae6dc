import { z } from 'zod';
import { GENERAL_CHANNEL, isAgentName, isName, nameKey, SYSTEM_AGENT } from '../names/names.ts';
import { MAX_TIME } from '../text/time.ts';
import { AGENT_TYPES, DELIVERY_PATHS, IMPORTANCES, MAX_TOOLS, MESSAGE_KINDS } from '../vocabulary.ts';
import { capability, emoji, thread, toolDefinition } from '../wire/payloads.ts';

const time = z.int().nonnegative().max(MAX_TIME);
const maybeTime = time.exactOptional();
const text = z.string().max(65_536);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const printable = (most: number) =>
  z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${most}}$`), 'must be printable, without spaces');
const id = printable(64);

const isReference = (reference: string): boolean => {
  const [, foreign, name = '', created] = /^(:?)([^@]*)(@\d{1,16})?$/.exec(reference) ?? [];
  return isName(name) && (foreign === '' || created !== undefined);
};
const isChannel = (reference: string): boolean => reference.startsWith('#') && isName(reference.slice(1));
const areAgents = (reference: string): boolean => reference.split(' ').every(isReference);

const agent = z.string().refine(isReference, 'must be an agent reference of an export');
const channel = z.string().refine(isChannel, 'must be a channel name with #');
const conversation = z
  .string()
  .max(8192)
  .refine(
    (reference) => reference === '*' || isChannel(reference) || areAgents(reference),
    'must be a conversation reference of an export',
  );

const attachment = z.strictObject({
  id,
  name: z.string().min(1).max(255),
  mediaType: z.string().max(127),
  size: z.int().nonnegative(),
  sha256,
});

/**
 * One line of an export of a workspace. It refers to agents by name, so that it means the same in every database:
 * `Alice` is the agent of that name, `Alice@1800000000000` one that was removed (with the time it was created),
 * `:Alice@1800000000000` one of another project. Conversations are named `#channel`, `*`, or by the sorted names of their
 * members, separated by spaces. Tokens, keys and the audit log are not included.
 */
export const transferRecord = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('agent'),
      agent,
      handle: z.string().refine(isAgentName, 'must be a valid agent name').exactOptional(),
      agentType: z.enum(AGENT_TYPES),
      lead: z.boolean(),
      ephemeral: z.boolean(),
      cli: z.string().max(64).exactOptional(),
      task: text.exactOptional(),
      parent: z.string().max(64).exactOptional(),
      capabilities: z.array(capability).max(256),
      tools: z.array(toolDefinition).max(MAX_TOOLS),
      mcpEnabled: z.boolean(),
      createdAt: time,
      lastSeenAt: time,
      removedAt: maybeTime,
    })
    .refine(hasItsName, { path: ['agent'], error: 'must be a valid name for this agent' }),
  z
    .strictObject({
      type: z.literal('channel'),
      name: z.string().refine(isName, 'must be a channel name'),
      topic: z.string().max(1024).exactOptional(),
      createdBy: z.string().regex(/^[\x20-\x7e]{1,128}$/, 'must be printable'),
      createdAt: time,
      archivedAt: maybeTime,
    })
    .refine(({ name, archivedAt }) => archivedAt === undefined || nameKey(name) !== GENERAL_CHANNEL, {
      path: ['archivedAt'],
      error: '#general cannot be archived',
    }),
  z.strictObject({
    type: z.literal('member'),
    channel,
    agent,
    joinedAt: time,
    present: z.boolean(),
  }),
  z
    .strictObject({
      type: z.literal('conversation'),
      kind: z.enum(['dm', 'group', 'broadcast']),
      conversation,
      createdAt: time,
    })
    .refine(({ kind, conversation: of }) => (kind === 'broadcast' ? of === '*' : areAgents(of)), {
      path: ['conversation'],
      error: 'must name its members, or be * for everyone',
    }),
  attachment.extend({ type: z.literal('attachment'), uploadedBy: agent, createdAt: time }),
  /** A piece of a file. */
  z.strictObject({
    type: z.literal('content'),
    sha256,
    position: z.int().nonnegative(),
    data: z.base64(),
  }),
  z.strictObject({
    type: z.literal('message'),
    id,
    clientId: printable(128),
    conversation,
    sender: agent,
    unverified: z.boolean(),
    body: z.string(),
    thread: thread.exactOptional(),
    replyTo: id.exactOptional(),
    kind: z.enum(MESSAGE_KINDS),
    importance: z.enum(IMPORTANCES),
    awaitsReply: z.boolean(),
    createdAt: time,
    expiresAt: maybeTime,
    mentions: z.array(z.string().refine(isName, 'must be an agent name')),
    attachments: z.array(attachment).max(16),
    redactedAt: maybeTime,
  }),
  z.strictObject({
    type: z.literal('delivery'),
    message: id,
    agent,
    mentioned: z.boolean(),
    path: z.enum(DELIVERY_PATHS).exactOptional(),
    claimedBy: id.exactOptional(),
    acceptedAt: maybeTime,
    uncertainAt: maybeTime,
    injectedAt: maybeTime,
    turnStartedAt: maybeTime,
    readAt: maybeTime,
    readPath: z.enum(DELIVERY_PATHS).exactOptional(),
    ackedAt: maybeTime,
  }),
  z.strictObject({ type: z.literal('reaction'), message: id, agent, emoji, at: time }),
]);
export type TransferRecord = z.infer<typeof transferRecord>;

/** An agent of this project with a valid name, and with its creation time if it was removed. */
function hasItsName(record: { agent: string; agentType: string; createdAt: number; removedAt?: number }) {
  const [name = ''] = record.agent.split('@');
  if (record.agent !== (record.removedAt === undefined ? name : `${name}@${record.createdAt}`)) return false;
  return record.agentType === 'system' ? name === SYSTEM_AGENT : isAgentName(name);
}
