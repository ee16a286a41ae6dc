import {
  type InboxMessage,
  type OperationParams,
  type OperationResult,
  parseChannelName,
  RelayError,
} from '@agent-relay/protocol';
import { describeStored } from './messages.ts';
import type { StoredMessage } from './ports/store.ts';
import { type Principal, requireAgent, seesWholeWorkspace } from './principal.ts';
import type { Relay } from './relay.ts';

/** A page of messages is an answer in one frame: it ends where the frame would grow too large. */
const MAX_PAGE_BYTES = 512 * 1024;

/** A page of the caller's own inbox: nobody else's can even be named. */
export async function readInbox(
  relay: Relay,
  principal: Principal,
  params: OperationParams<'INBOX'>,
): Promise<OperationResult<'INBOX'>> {
  const agent = requireAgent(principal);
  if (params.channel !== undefined) {
    throw new RelayError(
      'ChannelNotFound',
      `No channel #${parseChannelName(params.channel)} exists in project ${principal.workspace.name}.`,
    );
  }
  const take = params.unread_only || params.after !== undefined ? 'oldest' : 'newest';
  const page = await relay.store.inbox({
    recipientId: agent.id,
    unreadOnly: params.unread_only,
    ...(params.from === undefined ? {} : { fromId: relay.agents.get(principal.workspace, params.from).id }),
    after: params.after ?? 0,
    limit: params.limit,
    now: relay.clock.now(),
    take,
  });
  const messages: InboxMessage[] = [];
  let bytes = 0;
  // Filled from the end that was asked for: what does not fit is what was wanted least.
  for (const stored of take === 'oldest' ? page : page.toReversed()) {
    const message = {
      ...describeStored(stored),
      ...(stored.readAt === undefined ? {} : { readAt: stored.readAt }),
    };
    bytes += Buffer.byteLength(JSON.stringify(message));
    if (bytes > MAX_PAGE_BYTES && messages.length > 0) break;
    messages.push(message);
  }
  if (take === 'newest') messages.reverse();
  return { messages, unread: await relay.store.countUnread(agent.id, relay.clock.now()) };
}

/** What is known of a message and its deliveries, for its sender, its recipients and the owner of the workspace. */
export async function traceMessage(
  relay: Relay,
  principal: Principal,
  id: string,
): Promise<OperationResult<'TRACE'>> {
  const stored = await relay.store.findMessage(principal.workspace.id, id);
  // Somebody else's message and no message at all must look the same.
  if (!stored || !(await maySee(relay, principal, stored)))
    throw new RelayError('MessageNotFound', `No message ${id} can be seen by you.`);
  return { message: describeStored(stored), deliveries: await relay.deliveries.trace(stored) };
}

async function maySee(relay: Relay, principal: Principal, { id, senderId }: StoredMessage): Promise<boolean> {
  const me = principal.agent?.id;
  if (me === undefined) return seesWholeWorkspace(principal);
  // By id, not by name: a name may have belonged to somebody else before.
  return senderId === me || (await relay.store.deliveredSeqs(me, [id])).length > 0;
}
