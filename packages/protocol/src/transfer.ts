import { z } from 'zod';
import { toolDefinition } from './payloads.ts';
import { AGENT_TYPES, DELIVERY_PATHS, IMPORTANCES, MESSAGE_KINDS } from './vocabulary.ts';

const time = z.int().nonnegative();
const maybeTime = time.exactOptional();
const text = z.string().max(65_536);
const maybeText = text.exactOptional();
/** An agent, conversation or message as an export names it. */
const name = z.string().min(1).max(8192);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const attachment = z.strictObject({
  id: name,
  name: text,
  mediaType: text,
  size: z.int().nonnegative(),
  sha256,
});

/**
 * One line of an export of a workspace. It speaks of agents by name, so that it means the same in every database:
 * `Alice` is the agent of that name, `Alice@1800000000000` one that was removed (with the time it was created),
 * `:Alice@1800000000000` one of another project. Conversations go by `#channel`, `*`, or the sorted names of those in
 * it, between spaces. Tokens, keys and the audit trail are no part of it.
 */
export const transferRecord = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('agent'),
    agent: name,
    agentType: z.enum(AGENT_TYPES),
    lead: z.boolean(),
    ephemeral: z.boolean(),
    cli: maybeText,
    task: maybeText,
    parent: maybeText,
    capabilities: z.array(text),
    tools: z.array(toolDefinition),
    mcpEnabled: z.boolean(),
    createdAt: time,
    lastSeenAt: time,
    removedAt: maybeTime,
  }),
  z.strictObject({
    type: z.literal('channel'),
    name,
    topic: maybeText,
    createdBy: name,
    createdAt: time,
    archivedAt: maybeTime,
  }),
  z.strictObject({
    type: z.literal('member'),
    channel: name,
    agent: name,
    joinedAt: time,
    present: z.boolean(),
  }),
  z.strictObject({
    type: z.literal('conversation'),
    kind: z.enum(['dm', 'group', 'broadcast']),
    conversation: name,
    createdAt: time,
  }),
  attachment.extend({ type: z.literal('attachment'), uploadedBy: name, createdAt: time }),
  /** A piece of a file. */
  z.strictObject({
    type: z.literal('content'),
    sha256,
    position: z.int().nonnegative(),
    data: z.base64(),
  }),
  z.strictObject({
    type: z.literal('message'),
    id: name,
    clientId: name,
    conversation: name,
    sender: name,
    unverified: z.boolean(),
    body: z.string(),
    thread: maybeText,
    replyTo: maybeText,
    kind: z.enum(MESSAGE_KINDS),
    importance: z.enum(IMPORTANCES),
    awaitsReply: z.boolean(),
    createdAt: time,
    expiresAt: maybeTime,
    mentions: z.array(name),
    attachments: z.array(attachment),
    redactedAt: maybeTime,
  }),
  z.strictObject({
    type: z.literal('delivery'),
    message: name,
    agent: name,
    mentioned: z.boolean(),
    path: z.enum(DELIVERY_PATHS).exactOptional(),
    acceptedAt: maybeTime,
    injectedAt: maybeTime,
    turnStartedAt: maybeTime,
    readAt: maybeTime,
    ackedAt: maybeTime,
  }),
  z.strictObject({ type: z.literal('reaction'), message: name, agent: name, emoji: text, at: time }),
]);
export type TransferRecord = z.infer<typeof transferRecord>;
