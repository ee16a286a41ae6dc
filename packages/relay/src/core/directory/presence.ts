import type { AgentInfo, RelayEvent } from '@agent-relay/protocol';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import { type Principal, seesWholeWorkspace } from '../principal.ts';

/** What the domain needs of a live connection. Implementations must return at once: a slow peer is their own affair. */
export interface Peer {
  readonly principal: Principal;
  /** The session for which a client claimed the agent's name. */
  readonly session?: string | undefined;
  /** Wants to hear of the agent's mail. */
  readonly isToldOfMail: boolean;
  notify(event: RelayEvent): void;
  /** Its credential is not valid any more. */
  revoke(): void;
}

interface Seat {
  peers: Set<Peer>;
  connectedAt: number;
  lastActivityAt: number;
  /** The same by the clock that nobody sets. */
  activeAt: number;
  cancelLeaving?: () => void;
}

/**
 * Which agents are connected right now, by which connections. In memory: after a restart the agents reconnect and it
 * is true again.
 */
export class Presence {
  readonly #clock: Clock;
  readonly #idleAfterMs: number;
  /** How long an agent that lost its last connection may take to come back before it counts as gone. */
  readonly goneAfterMs: number;
  readonly #seats = new Map<number, Seat>();
  readonly #peers = new Map<number, Set<Peer>>();
  readonly #watchers = new Map<number, Set<Peer>>();
  /** Told when an agent stayed away for `goneAfterMs` after its last connection ended. */
  onLeft: (agent: Agent) => void = () => undefined;
  /** Whether an agent works right now, where somebody watches it; undefined: it is judged by what it asks for. */
  isBusy: (agentId: number) => boolean | undefined = () => undefined;

  constructor(clock: Clock, { idleAfterMs, goneAfterMs }: { idleAfterMs: number; goneAfterMs: number }) {
    this.#clock = clock;
    this.#idleAfterMs = idleAfterMs;
    this.goneAfterMs = goneAfterMs;
  }

  join(peer: Peer): void {
    const { agent, workspace } = peer.principal;
    addTo(this.#peers, workspace.id, peer);
    if (!agent) return;
    const now = this.#clock.now();
    const seat = this.#seats.get(agent.id);
    if (!seat) {
      this.#seats.set(agent.id, {
        peers: new Set([peer]),
        connectedAt: now,
        lastActivityAt: now,
        activeAt: this.#clock.elapsed(),
      });
      this.tell(workspace.id, { type: 'agent.online', agent: agent.name });
      return;
    }
    if (seat.peers.size === 0) {
      seat.connectedAt = now;
      this.tell(workspace.id, { type: 'agent.online', agent: agent.name });
    }
    seat.cancelLeaving?.();
    delete seat.cancelLeaving;
    this.active(agent.id);
    seat.peers.add(peer);
  }

  leave(peer: Peer): void {
    const { agent, workspace } = peer.principal;
    this.#peers.get(workspace.id)?.delete(peer);
    this.#watchers.get(workspace.id)?.delete(peer);
    if (!agent) return;
    const seat = this.#seats.get(agent.id);
    if (!seat?.peers.delete(peer) || seat.peers.size > 0) return;
    this.tell(workspace.id, { type: 'agent.offline', agent: agent.name });
    seat.cancelLeaving = this.#clock.after(this.goneAfterMs, () => {
      this.#seats.delete(agent.id);
      this.onLeft(agent);
    });
  }

  /** From now on the peer hears of the coming and going of its workspace's agents. */
  watch(peer: Peer): void {
    addTo(this.#watchers, peer.principal.workspace.id, peer);
  }

  /** Tells one agent, on those of its connections that watch. */
  tellAgent(agentId: number, event: RelayEvent): void {
    for (const peer of this.peersOf(agentId)) {
      if (this.#watchers.get(peer.principal.workspace.id)?.has(peer)) peer.notify(event);
    }
  }

  /** Tells those who watch as the owner of the workspace. */
  tellOwner(workspaceId: number, event: RelayEvent): void {
    for (const peer of this.#watchers.get(workspaceId) ?? [])
      if (seesWholeWorkspace(peer.principal)) peer.notify(event);
  }

  /** Notes that the agent did something by itself (heartbeats don't count). */
  active(agentId: number): void {
    const seat = this.#seats.get(agentId);
    if (!seat) return;
    seat.lastActivityAt = this.#clock.now();
    seat.activeAt = this.#clock.elapsed();
  }

  /** Whether the agent is connected, or was until less than `goneAfterMs` ago. */
  isExpected(agentId: number): boolean {
    return this.#seats.has(agentId);
  }

  isOnline(agentId: number): boolean {
    return (this.#seats.get(agentId)?.peers.size ?? 0) > 0;
  }

  /** Whether the agent is connected, but has done nothing for a while. */
  isIdle(agentId: number): boolean {
    const seat = this.#seats.get(agentId);
    return seat !== undefined && seat.peers.size > 0 && this.#hasRested(agentId, seat);
  }

  /** Whether a connection of somebody else keeps a session from the agent; from one that returns, only another session does. */
  isHeldByOther(agentId: number, session: string, isReturning: boolean): boolean {
    for (const peer of this.peersOf(agentId))
      if (peer.session !== session && (peer.session !== undefined || !isReturning)) return true;
    return false;
  }

  peersOf(agentId: number): Iterable<Peer> {
    return this.#seats.get(agentId)?.peers ?? [];
  }

  peersIn(workspaceId: number): Iterable<Peer> {
    return this.#peers.get(workspaceId) ?? [];
  }

  count(): { connections: number; agentsOnline: number } {
    let connections = 0;
    for (const peers of this.#peers.values()) connections += peers.size;
    let agentsOnline = 0;
    for (const seat of this.#seats.values()) if (seat.peers.size > 0) agentsOnline += 1;
    return { connections, agentsOnline };
  }

  describe(agent: Agent): Pick<AgentInfo, 'status' | 'connectedAt' | 'lastActivityAt'> {
    const seat = this.#seats.get(agent.id);
    if (!seat || seat.peers.size === 0)
      return { status: 'offline', lastActivityAt: seat?.lastActivityAt ?? agent.lastSeenAt };
    return {
      status: this.#hasRested(agent.id, seat) ? 'idle' : 'active',
      connectedAt: seat.connectedAt,
      lastActivityAt: seat.lastActivityAt,
    };
  }

  #hasRested(agentId: number, seat: Seat): boolean {
    const isBusy = this.isBusy(agentId);
    if (isBusy !== undefined) return !isBusy;
    return this.#clock.elapsed() - seat.activeAt >= this.#idleAfterMs;
  }

  /** Tells everybody in the workspace who watches. */
  tell(workspaceId: number, event: RelayEvent): void {
    for (const peer of this.#watchers.get(workspaceId) ?? []) peer.notify(event);
  }
}

function addTo(sets: Map<number, Set<Peer>>, workspaceId: number, peer: Peer): void {
  const set = sets.get(workspaceId);
  if (set) set.add(peer);
  else sets.set(workspaceId, new Set([peer]));
}
