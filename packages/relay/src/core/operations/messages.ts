import { RelayError, type RelayEvent } from '@agent-relay/protocol';
import type { AwaitOutcome, OpenAwait } from '../delivery/awaits.ts';
import { PushReceiver } from '../delivery/push-receiver.ts';
import { startReceiving } from '../delivery/receiving.ts';
import { StoredAnswers } from '../delivery/stored-answers.ts';
import { heldInfo } from '../governance/held.ts';
import type { StoredMessage } from '../ports/store/messages.ts';
import type { Reaction } from '../ports/store/reactions.ts';
import { requireAgent, requireOwner, seesWholeWorkspace } from '../principal.ts';
import { countMessages } from '../reading/counts.ts';
import { followProject } from '../reading/project-tail.ts';
import {
  countUnread,
  listConversations,
  readHistory,
  readInbox,
  readThread,
  searchMessages,
  traceMessage,
  visibleMessage,
} from '../reading/reading.ts';
import type { Relay } from '../relay.ts';
import type { Caller, Handlers } from './caller.ts';

type Names =
  | 'SEND'
  | 'CANCEL'
  | 'INBOX'
  | 'WAIT'
  | 'RECEIVE'
  | 'CLAIM'
  | 'REPORT'
  | 'ACK'
  | 'TRACE'
  | 'TAIL'
  | 'HISTORY'
  | 'MESSAGE_COUNTS'
  | 'THREAD'
  | 'SEARCH'
  | 'CONVERSATIONS'
  | 'REACT'
  | 'READERS'
  | 'REDACT'
  | 'HELD_LIST'
  | 'HELD_RELEASE'
  | 'ATTACH'
  | 'FETCH';

export function messageHandlers(relay: Relay): Handlers<Names> {
  const { accepted, attachments, awaits, claims, clock, deliveries, held, heldReleases } = relay;
  const { messages, quotas, store, waiters, workspaces } = relay;
  const storedAnswers = new StoredAnswers(store, awaits, relay.descriptions);
  return {
    SEND: async (caller, params, requestId) => {
      if (!params.await) return (await messages.send(caller.principal, requestId, params)).result;
      const waiter = requireAgent(caller.principal);
      const counted = quotas.asking(waiter.id, awaits.countBesides(waiter.id, requestId));
      try {
        const { result, recipient } = await messages.send(caller.principal, requestId, params);
        if (!recipient || result.held !== undefined) return result;
        const message = { id: result.messageId, seq: result.seq, thread: result.thread ?? result.messageId };
        const ongoing = caller.begin(requestId);
        const settle = (outcome: AwaitOutcome) =>
          'reply' in outcome ? ongoing.finish(outcome.reply) : ongoing.fail(outcome.error);
        const question: OpenAwait = { id: requestId, waiter, target: recipient, message, settle };
        ongoing.onEnd = awaits.open(question, params.await.timeoutMs);
        if (result.duplicate) await endIfFails(caller, requestId, () => storedAnswers.search(question));
        return result;
      } finally {
        counted();
      }
    },
    CANCEL: (caller, { id }) => {
      caller.end(id);
      return {};
    },
    INBOX: (caller, params) => readInbox(relay, caller.principal, params),
    WAIT: async (caller, { timeoutMs }, requestId) => {
      const agent = requireAgent(caller.principal);
      const ongoing = caller.begin(requestId);
      const unread = await endIfFails(caller, requestId, async () => {
        waiters.open(agent, requestId, ongoing, timeoutMs);
        return countUnread(relay, agent.id);
      });
      if (unread > 0) caller.end(requestId);
      return { unread };
    },
    RECEIVE: (caller, params, requestId) => startReceiving(relay, caller, params, requestId),
    CLAIM: async (caller, params) => {
      const agent = requireAgent(caller.principal);
      const claimed = await claims.claim(agent, caller.receiver, params);
      return { messages: claimed.map((stored) => relay.addressing.to(agent, stored)) };
    },
    REPORT: async (caller, params) => {
      const agent = requireAgent(caller.principal);
      if ('messages' in params) return await claims.report(agent, caller.receiver, params);
      claims.reportPath(agent, caller.receiver, params);
      return { changed: 1 };
    },
    ACK: (caller, params) => {
      const agent = requireAgent(caller.principal);
      if ('messages' in params) return deliveries.report(agent, params.messages, params.state, params.path);
      const { receiver } = caller;
      if (receiver instanceof PushReceiver) accepted.note(agent.id, receiver.accepted(params.upTo));
      return { changed: 0 };
    },
    TRACE: (caller, { id }) => traceMessage(relay, caller.principal, id),
    TAIL: async (caller, params, requestId) => {
      requireOwner(caller.principal, 'follow every message of the project');
      const { workspace } = caller.principal;
      // A follower of another database may have a higher number than this one ever had.
      const last = await store.lastSeq(workspace.id);
      const after = Math.min(params.after ?? last, last);
      followProject(relay, workspace.id, after, caller.begin(requestId, 'tail'));
      return { after };
    },
    HISTORY: (caller, params) => readHistory(relay, caller.principal, params),
    MESSAGE_COUNTS: (caller, params) => countMessages(relay, caller.principal, params),
    THREAD: (caller, params) => readThread(relay, caller.principal, params),
    SEARCH: (caller, params) => searchMessages(relay, caller.principal, params),
    CONVERSATIONS: (caller, { limit }) => listConversations(relay, caller.principal, limit),
    REACT: async (caller, { message: id, emoji, remove }) => {
      const agent = requireAgent(caller.principal);
      const stored = await visibleMessage(relay, caller.principal, id);
      const { seq } = stored;
      const reaction = { seq, agentId: agent.id, emoji };
      const changed = remove ? await store.removeReaction(reaction) : await addReaction(relay, reaction);
      const type = remove ? 'reaction.removed' : 'reaction.added';
      if (changed) await tellInvolved(relay, stored, { type, messageId: id, emoji, agent: agent.name });
      const reactions = await store.reactionsOf([seq]);
      return { reactions: reactions.map(({ emoji: shown, agents }) => ({ emoji: shown, agents })) };
    },
    READERS: async (caller, { message: id }) => {
      const { seq } = await visibleMessage(relay, caller.principal, id);
      const { read, unread } = await store.readers(seq);
      return { readers: read, unread };
    },
    REDACT: async (caller, { message: id, reason }) => {
      const { principal } = caller;
      const stored = await visibleMessage(relay, principal, id);
      if (!seesWholeWorkspace(principal) && stored.senderId !== principal.agent?.id) {
        throw new RelayError('Forbidden', 'Only the sender and the owner may redact a message.');
      }
      if (await store.redactMessage(stored.seq, clock.now())) {
        await workspaces.audit(
          principal,
          principal.workspace,
          'message.redacted',
          id,
          reason === undefined ? undefined : { reason },
        );
        await tellInvolved(relay, stored, { type: 'message.redacted', messageId: id });
      }
      return {};
    },
    HELD_LIST: async (caller) => {
      requireOwner(caller.principal, 'list held messages');
      return { held: (await held.list(caller.principal.workspace)).map(heldInfo) };
    },
    HELD_RELEASE: async (caller, { ids, discard }) => {
      requireOwner(caller.principal, 'release held messages');
      const { principal } = caller;
      const { released, discarded } = discard
        ? await heldReleases.discard(principal, ids)
        : await heldReleases.release(principal, ids);
      const noted = (action: string, settled: string[]) =>
        settled.length > 0 && workspaces.audit(principal, principal.workspace, action, settled.join(' '));
      await noted('held.released', released);
      await noted('held.discarded', discarded);
      return { released: released.length, discarded: discarded.length };
    },
    ATTACH: (caller, params) => attachments.attach(caller.principal, params),
    FETCH: (caller, params) => attachments.fetch(caller.principal, params),
  };
}

/** A request that is answered with an error does not continue. */
async function endIfFails<T>(caller: Caller, requestId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    caller.end(requestId);
    throw error;
  }
}

/** True if it is new. */
async function addReaction({ clock, quotas, store }: Relay, reaction: Reaction): Promise<boolean> {
  const { reactions: ofAgent, messageReactions: ofAll } = quotas.limits;
  const outcome = await store.addReaction({ ...reaction, at: clock.now() }, { ofAgent, ofAll });
  quotas.checkReaction(outcome);
  return outcome === 'added';
}

/** Notifies the sender and the recipients of a message and the owner, if they are connected. */
async function tellInvolved(
  relay: Relay,
  { seq, senderId, workspaceId }: StoredMessage,
  event: RelayEvent,
): Promise<void> {
  const recipients = (await relay.store.deliveriesOf(seq)).map(({ recipientId }) => recipientId);
  for (const agentId of new Set([senderId, ...recipients])) relay.presence.tellAgent(agentId, event);
  relay.presence.tellOwner(workspaceId, event);
}
