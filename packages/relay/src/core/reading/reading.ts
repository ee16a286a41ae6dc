import {
  type HistoryMessage,
  type InboxMessage,
  type Message,
  type OperationParams,
  type OperationResult,
  RelayError,
} from '@agent-relay/protocol';
import { holdTrace } from '../governance/held.ts';
import type { InboxQuery } from '../ports/store/deliveries.ts';
import type { HeldMessage } from '../ports/store/held.ts';
import type { StoredMessage } from '../ports/store/messages.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { type Principal, requireAgent, seesWholeWorkspace } from '../principal.ts';
import type { Relay } from '../relay.ts';
import { conversationKey } from '../sending/routes.ts';
import { page } from './page.ts';

/** The viewer of a principal; undefined for the owner, who sees everything. */
function viewer(principal: Principal): number | undefined {
  return seesWholeWorkspace(principal) ? undefined : requireAgent(principal).id;
}

/** The number of unread messages of an agent, without those a path is delivering. */
export const countUnread = ({ store, clock, mailboxes }: Relay, agentId: number): Promise<number> =>
  store.countUnread(agentId, clock.now(), mailboxes.live(agentId));

/** A page of the caller's own inbox; no other can be requested. */
export async function readInbox(
  relay: Relay,
  principal: Principal,
  params: OperationParams<'INBOX'>,
): Promise<OperationResult<'INBOX'>> {
  const agent = requireAgent(principal);
  const { workspace } = principal;
  const now = relay.clock.now();
  const take = params.unread_only || params.after !== undefined ? 'oldest' : 'newest';
  // Messages that a path is delivering are not shown here too.
  const live = relay.mailboxes.live(agent.id);
  const query: InboxQuery = {
    recipientId: agent.id,
    unreadOnly: params.unread_only,
    ...(params.unread_only && live.length > 0 ? { hideClaimed: live } : {}),
    ...(params.from === undefined ? {} : { fromId: relay.agents.get(workspace, params.from).id }),
    ...(params.channel === undefined
      ? {}
      : { conversationId: relay.channels.get(workspace, params.channel).id }),
    ...(params.thread === undefined ? {} : { thread: params.thread }),
    ...(params.kind === undefined ? {} : { kind: params.kind }),
    ...(params.mentions === undefined ? {} : { mentioned: params.mentions }),
    after: params.after ?? 0,
    limit: params.limit,
    now,
    take,
  };
  const read = () => relay.store.inbox(query);
  const found = await (params.take ? relay.claims.take(agent.id, read) : read());
  const messages = found.map(
    (stored): InboxMessage => ({
      ...relay.addressing.to(agent, stored),
      ...(stored.readAt === undefined ? {} : { readAt: stored.readAt }),
    }),
  );
  return {
    messages: page(messages, take).messages,
    unread: await countUnread(relay, agent.id),
  };
}

/** A message the caller can see; an invisible and a missing one get the same error. */
export async function visibleMessage(relay: Relay, principal: Principal, id: string): Promise<StoredMessage> {
  const stored = await relay.store.visibleMessage(viewer(principal), principal.workspace.id, id);
  if (stored) return stored;
  throw new RelayError('MessageNotFound', `There is no message ${id}, or you cannot see it.`);
}

/** The status of a message and its deliveries. */
export async function traceMessage(
  relay: Relay,
  principal: Principal,
  id: string,
): Promise<OperationResult<'TRACE'>> {
  const found = await relay.held.find(id);
  const held = found && maySeeHeld(principal, found) ? found : undefined;
  if (held && held.settled?.outcome !== 'released') {
    const workspaceId = relay.agents.byId(held.draft.senderId)?.workspaceId ?? held.workspaceId;
    const sender = { name: held.senderName, workspaceId };
    const message = relay.descriptions.draft(held.draft, 0, sender, held.shown);
    return { message, deliveries: [], held: holdTrace(held) };
  }
  const stored = await visibleMessage(relay, principal, id);
  const message = relay.descriptions.seenFrom(principal.workspace, stored);
  const deliveries = await relay.deliveries.trace(stored);
  return held ? { message, deliveries, held: holdTrace(held) } : { message, deliveries };
}

/** Its sender, and the owner of the project it is for. */
const maySeeHeld = (principal: Principal, { draft, workspaceId }: HeldMessage): boolean =>
  principal.agent?.id === draft.senderId ||
  (seesWholeWorkspace(principal) && principal.workspace.id === workspaceId);

export async function readHistory(
  relay: Relay,
  principal: Principal,
  params: OperationParams<'HISTORY'>,
): Promise<OperationResult<'HISTORY'>> {
  const { workspace } = principal;
  const conversationId = await conversationOf(relay, principal, params);
  if (conversationId === 'none yet') return { messages: [], more: false };
  const found = await relay.store.history({
    workspaceId: workspace.id,
    viewer: viewer(principal),
    ...(params.agent === undefined ? {} : { involvingId: relay.agents.get(workspace, params.agent).id }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(params.thread === undefined ? {} : { thread: params.thread }),
    ...(params.kind === undefined ? {} : { kind: params.kind }),
    ...(params.since === undefined ? {} : { since: params.since }),
    ...(params.before === undefined ? {} : { before: params.before }),
    ...(params.after === undefined ? {} : { after: params.after }),
    limit: params.limit + 1,
  });
  const forward = params.after !== undefined && params.before === undefined;
  const more = found.length > params.limit;
  const wanted = more ? (forward ? found.slice(0, params.limit) : found.slice(1)) : found;
  const { messages, cut } = page(
    await withReactions(relay, workspace, wanted),
    forward ? 'oldest' : 'newest',
  );
  return { messages, more: more || cut };
}

/** The requested conversation, if there is only one; the store decides what the caller may see of it. */
async function conversationOf(
  relay: Relay,
  principal: Principal,
  { channel, participants }: OperationParams<'HISTORY'>,
): Promise<number | 'none yet' | undefined> {
  if (channel !== undefined && participants !== undefined) {
    throw new RelayError('InvalidRequest', 'participants: a channel has members, not participants.', {
      next: 'Ask for the channel, or for the conversation of these agents.',
      details: { field: 'participants' },
    });
  }
  if (channel !== undefined) return readableChannel(relay, principal, channel);
  if (participants === undefined) return undefined;
  const { workspace } = principal;
  const ids = [...new Set(participants.map((name) => relay.agents.get(workspace, name).id))];
  // Notes to oneself are a conversation of one with itself.
  const key = conversationKey(ids.length === 1 ? [...ids, ...ids] : ids);
  return (await relay.store.findConversation(workspace.id, key))?.id ?? 'none yet';
}

/** A thread from the start: its first message, and all messages in it. */
export async function readThread(
  relay: Relay,
  principal: Principal,
  params: OperationParams<'THREAD'>,
): Promise<OperationResult<'THREAD'>> {
  const { workspace } = principal;
  const root = await relay.store.visibleMessage(viewer(principal), workspace.id, params.id);
  const thread = root ? (root.thread ?? root.id) : params.id;
  const first =
    root?.id === thread ? root : await relay.store.visibleMessage(viewer(principal), workspace.id, thread);
  const replies = await relay.store.history({
    workspaceId: workspace.id,
    viewer: viewer(principal),
    thread,
    after: 0,
    limit: params.limit + 1,
  });
  const all = first && !replies.some(({ seq }) => seq === first.seq) ? [first, ...replies] : replies;
  if (all.length === 0)
    throw new RelayError(
      'MessageNotFound',
      `There is no thread or message ${params.id}, or you cannot see it.`,
    );
  const { messages, cut } = page(await withReactions(relay, workspace, all.slice(0, params.limit)));
  return { thread, messages, more: cut || all.length > params.limit };
}

export async function searchMessages(
  relay: Relay,
  principal: Principal,
  params: OperationParams<'SEARCH'>,
): Promise<OperationResult<'SEARCH'>> {
  const { workspace } = principal;
  const found = await relay.store.search({
    workspaceId: workspace.id,
    viewer: viewer(principal),
    text: params.query,
    ...(params.channel === undefined
      ? {}
      : { conversationId: readableChannel(relay, principal, params.channel) }),
    ...(params.from === undefined ? {} : { senderId: relay.agents.get(workspace, params.from).id }),
    ...(params.since === undefined ? {} : { since: params.since }),
    ...(params.until === undefined ? {} : { until: params.until }),
    limit: params.limit,
  });
  const hits = found.map(({ message, highlight }) => ({
    message: relay.descriptions.seenFrom(workspace, message),
    highlight,
  }));
  return { hits: page(hits).messages };
}

export async function listConversations(
  relay: Relay,
  principal: Principal,
  limit: number,
): Promise<OperationResult<'CONVERSATIONS'>> {
  const summaries = await relay.store.directConversations(
    requireAgent(principal).id,
    limit,
    relay.clock.now(),
  );
  const conversations = summaries.map(({ kind, participants, last, unread }) => ({
    kind,
    participants,
    last: relay.descriptions.seenFrom(principal.workspace, last),
    unread,
  }));
  return { conversations: page(conversations).messages };
}

/** The conversation of a channel, if the caller may read its history: for members and the owner. */
function readableChannel(relay: Relay, principal: Principal, name: string): number {
  const channel = relay.channels.get(principal.workspace, name);
  if (seesWholeWorkspace(principal) || relay.channels.isMember(channel, requireAgent(principal).id))
    return channel.id;
  throw new RelayError('NotAMember', `You are not in #${channel.name}.`);
}

async function withReactions(
  relay: Relay,
  reader: Workspace,
  stored: StoredMessage[],
): Promise<HistoryMessage[]> {
  const reactions = stored.length === 0 ? [] : await relay.store.reactionsOf(stored.map(({ seq }) => seq));
  return stored.map((one) => {
    const message: Message = relay.descriptions.seenFrom(reader, one);
    const own = reactions
      .filter(({ seq }) => seq === one.seq)
      .map(({ emoji, agents }) => ({ emoji, agents }));
    return own.length === 0 ? message : { ...message, reactions: own };
  });
}
