import type { ClaimingPath, OperationParams, OperationResult } from '@agent-relay/protocol';
import type { Caller, Ongoing } from '../operations/caller.ts';
import type { Agent } from '../ports/store/agents.ts';
import { requireAgent } from '../principal.ts';
import { mayHaveMore } from '../reading/page.ts';
import type { Relay } from '../relay.ts';
import { ClaimingReceiver } from './claiming-receiver.ts';
import { PushReceiver } from './push-receiver.ts';
import { type Receiver, rank } from './receiver.ts';

type Wish = Pick<OperationParams<'RECEIVE'>, 'paths' | 'notify' | 'receiver' | 'hooks'>;

/** Changes how a connection gets its agent's messages, replacing what it had before. */
export async function startReceiving(
  relay: Relay,
  caller: Caller,
  { resumeAfter: wanted, ...wish }: OperationParams<'RECEIVE'>,
  requestId: string,
): Promise<OperationResult<'RECEIVE'>> {
  const agent = requireAgent(caller.principal);
  const resumeAfter = await resumePoint(relay, agent.workspaceId, wanted);
  receive(relay, caller, agent, wish, { requestId, resumeAfter });
  return wanted === undefined ? {} : { resumeAfter };
}

/** Delivers the agent's messages to this connection from now on, by the paths it declares. */
export function receive(
  relay: Relay,
  caller: Caller,
  agent: Agent,
  { paths, notify, receiver: id, hooks }: Wish,
  { requestId, resumeAfter }: { requestId: string; resumeAfter: number },
): void {
  caller.endOnly('mail');
  caller.isToldOfMail = notify;
  if (paths.includes('hook')) relay.hooked.seen(agent.id);
  if (paths.length === 0 && !hooks) return;
  const ongoing = caller.begin(requestId, 'mail');
  // The connection was closed: nothing may stay with it, and its program may have reconnected.
  if (ongoing.hasEnded) return;
  if (paths.length === 0) {
    if (hooks) ongoing.onEnd = relay.hooked.declare(agent.id, hooks);
    return;
  }
  const receiver = receiverFor(
    relay,
    agent,
    { id: id ?? relay.newId('rcv'), paths, resumeAfter },
    caller,
    ongoing,
  );
  caller.receiver = receiver;
  ongoing.onEnd = () => {
    caller.receiver = undefined;
    if (!relay.mailboxes.remove(agent.id, receiver)) return;
    tellPaths(relay, agent, receiver, { isAway: true });
    if (receiver instanceof ClaimingReceiver) relay.claims.left(agent, receiver);
  };
  relay.mailboxes.add(agent.id, receiver);
  tellPaths(relay, agent, receiver);
}

/**
 * Where a client's deliveries continue. A client with a higher number than this database ever had used another one,
 * and has nothing of this one.
 */
export async function resumePoint(relay: Relay, workspaceId: number, resumeAfter = 0): Promise<number> {
  return resumeAfter > 0 && resumeAfter <= (await relay.store.lastSeq(workspaceId)) ? resumeAfter : 0;
}

function receiverFor(
  relay: Relay,
  agent: Agent,
  { id, paths, resumeAfter }: { id: string; paths: Wish['paths']; resumeAfter: number },
  caller: Caller,
  ongoing: Ongoing,
): Receiver {
  const since = relay.clock.now();
  if (paths.includes('push'))
    return new PushReceiver({ id, since, after: resumeAfter }, ongoing, relay.order, (after, limit) =>
      relay.claims.readUnclaimed(agent.id, () => readUnread(relay, agent, after, limit)),
    );
  const claiming = paths as ClaimingPath[];
  const best = claiming.toSorted((one, other) => rank({ paths: [one] }) - rank({ paths: [other] }));
  return new ClaimingReceiver({ id, since, paths: best }, () => caller.notify({ type: 'mail.claimable' }));
}

/** The agent's unclaimed messages: what a path has claimed is not pushed too. */
async function readUnread(relay: Relay, agent: Agent, after: number, limit: number) {
  const query = { recipientId: agent.id, unreadOnly: true, hideClaimed: true, take: 'oldest' } as const;
  const stored = await relay.store.inbox({ ...query, after, limit, now: relay.clock.now() });
  return { items: stored.map(relay.descriptions.stored), more: mayHaveMore(stored, limit) };
}

/** For a program that is the agent itself, online and offline events say the same. */
function tellPaths(relay: Relay, agent: Agent, receiver: Receiver, { isAway = false } = {}): void {
  const { name, workspaceId } = agent;
  for (const path of receiver.paths.filter((one) => one !== 'push')) {
    const { since: _, ...status } = receiver.statusOf(path);
    const now = isAway ? ({ state: 'away' } as const) : status;
    relay.presence.tell(workspaceId, { type: 'path.changed', agent: name, path, ...now });
  }
}
