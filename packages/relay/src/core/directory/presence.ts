import type { AgentInfo, RelayEvent } from '@agent-relay/protocol';
import { LOCAL } from '../governance/accounts.ts';
import type { Bus, EndedConnections } from '../ports/bus.ts';
import type { Directory } from '../ports/directory.ts';
import type { Agent } from '../ports/store/agents.ts';
import { isUsersOwn } from '../principal.ts';
import type { Connections, Peer } from './connections.ts';

interface Parts {
  bus: Bus;
  directory: Directory;
  connections: Connections;
  idleAfterMs: number;
}

/** Who is online, at this daemon or another, and how to notify them. */
export class Presence {
  readonly #parts: Parts;
  /** Whether an agent is working, as observed by a path; undefined: judged by its requests. */
  isBusy: (agentId: number) => boolean | undefined = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  join(peer: Peer): void {
    const { directory, connections } = this.#parts;
    connections.add(peer);
    const { agent, workspace } = peer.principal;
    if (!agent) return;
    peer.presence = { agentId: agent.id, session: peer.session };
    if (directory.arrived(peer.presence).isFirst)
      this.tell(workspace.id, { type: 'agent.online', agent: agent.name });
  }

  leave(peer: Peer): void {
    const { directory, connections } = this.#parts;
    const { agent, workspace } = peer.principal;
    if (!connections.delete(peer) || !agent || !peer.presence) return;
    if (directory.left(peer.presence).isLast)
      this.tell(workspace.id, { type: 'agent.offline', agent: agent.name });
  }

  /** From now on the peer gets the events of its workspace. */
  watch(peer: Peer): void {
    this.#parts.connections.watch(peer);
  }

  /** Notifies everyone who watches the workspace. */
  tell(workspaceId: number, event: RelayEvent): void {
    this.#parts.bus.publish({ kind: 'event', audience: { kind: 'workspace', workspaceId }, event });
  }

  /** Notifies one agent, on its connections that watch. */
  tellAgent(agentId: number, event: RelayEvent): void {
    this.#parts.bus.publish({ kind: 'event', audience: { kind: 'agent', agentId }, event });
  }

  /** Notifies owners who watch the workspace. */
  tellOwner(workspaceId: number, event: RelayEvent): void {
    this.#parts.bus.publish({ kind: 'event', audience: { kind: 'owner', workspaceId }, event });
  }

  /** Closes connections whose credential is no longer valid. */
  end(connections: EndedConnections): void {
    this.#parts.bus.publish({ kind: 'ended', connections });
  }

  /** Notes that the agent was active (heartbeats do not count). */
  active(agentId: number): void {
    this.#parts.directory.active(agentId);
  }

  /** Whether the agent is connected, or was a moment ago. */
  isExpected(agentId: number): boolean {
    return this.#parts.directory.find(agentId) !== undefined;
  }

  /** Notes that the agent's capabilities or tools changed. */
  offered(agentId: number): void {
    this.#parts.directory.offered(agentId);
  }

  /** When a connected agent last told what it offers. */
  offeredAt(agentId: number): number | undefined {
    return this.#parts.directory.find(agentId)?.offeredAt;
  }

  isOnline(agentId: number): boolean {
    return this.#parts.directory.isOnline(agentId);
  }

  /** Whether the agent is connected but idle. */
  isIdle(agentId: number): boolean {
    const found = this.#parts.directory.find(agentId);
    return found !== undefined && found.connections > 0 && this.#hasRested(agentId, found.restedMs);
  }

  /** Whether another connection holds the agent; for a returning session, only another session does. */
  isHeldByOther(agentId: number, session: string, isReturning: boolean): boolean {
    return this.#parts.directory
      .sessionsOf(agentId)
      .some((other) => other !== session && (other !== undefined || !isReturning));
  }

  /** The sessions of the dashboard's pages that are connected to this daemon. */
  pageSessions(): Set<string> {
    return this.#parts.connections.pageSessions();
  }

  /** The connections of this daemon, and the agents of all. */
  count(): { connections: number; agentsOnline: number } {
    const { connections, directory } = this.#parts;
    return { connections: connections.count, agentsOnline: directory.agentsOnline() };
  }

  describe(agent: Agent): Pick<AgentInfo, 'status' | 'connectedAt' | 'lastActivityAt' | 'remote'> {
    const found = this.#parts.directory.find(agent.id);
    if (!found || found.connections === 0)
      return {
        status: 'offline',
        lastActivityAt: found?.lastActivityAt ?? agent.lastSeenAt,
        ...(cameFromElsewhere(agent) ? { remote: true } : {}),
      };
    const { connectedAt, lastActivityAt, restedMs } = found;
    const here = this.#parts.connections.of(agent.id);
    const isRemote = here.length > 0 && here.every(({ principal }) => !isUsersOwn(principal));
    return {
      status: this.#hasRested(agent.id, restedMs) ? 'idle' : 'active',
      connectedAt,
      lastActivityAt,
      ...(isRemote ? { remote: true } : {}),
    };
  }

  #hasRested(agentId: number, restedMs: number): boolean {
    const isBusy = this.isBusy(agentId);
    return isBusy === undefined ? restedMs >= this.#parts.idleAfterMs : !isBusy;
  }
}

/** Of an agent that is not connected, all that is known is how its name was registered. */
const cameFromElsewhere = ({ account = LOCAL }: Agent): boolean => account !== LOCAL;
