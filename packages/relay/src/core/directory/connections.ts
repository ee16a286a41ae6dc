import type { RelayEvent } from '@agent-relay/protocol';
import type { Audience, EndedConnections } from '../ports/bus.ts';
import type { PresentConnection } from '../ports/directory.ts';
import { type Principal, seesWholeWorkspace } from '../principal.ts';

/** What the domain needs of a live connection. Implementations must not block on a slow peer. */
export interface Peer {
  readonly principal: Principal;
  /** The session for which a client claimed the agent's name. */
  readonly session?: string | undefined;
  /** Wants to be notified of the agent's messages. */
  readonly isToldOfMail: boolean;
  /** This connection's entry in the directory. */
  presence?: PresentConnection | undefined;
  notify(event: RelayEvent): void;
  /** Its credential is no longer valid. */
  revoke(): void;
}

/** The connections of this daemon. */
export class Connections {
  readonly #byWorkspace = new Map<number, Set<Peer>>();
  /** Few per agent: a list is smaller than a set. */
  readonly #byAgent = new Map<number, Peer[]>();
  readonly #watchers = new Map<number, Set<Peer>>();

  add(peer: Peer): void {
    const { agent, workspace } = peer.principal;
    addTo(this.#byWorkspace, workspace.id, peer);
    if (agent) this.#byAgent.set(agent.id, [...this.of(agent.id), peer]);
  }

  /** False if it was already gone. */
  delete(peer: Peer): boolean {
    const { agent, workspace } = peer.principal;
    this.#watchers.get(workspace.id)?.delete(peer);
    if (!this.#byWorkspace.get(workspace.id)?.delete(peer)) return false;
    if (!agent) return true;
    const left = this.of(agent.id).filter((other) => other !== peer);
    if (left.length > 0) this.#byAgent.set(agent.id, left);
    else this.#byAgent.delete(agent.id);
    return true;
  }

  /** From now on the peer gets the events of its workspace. */
  watch(peer: Peer): void {
    addTo(this.#watchers, peer.principal.workspace.id, peer);
  }

  of(agentId: number): readonly Peer[] {
    return this.#byAgent.get(agentId) ?? [];
  }

  get count(): number {
    let connections = 0;
    for (const peers of this.#byWorkspace.values()) connections += peers.size;
    return connections;
  }

  /** Sends an event to the connections of an audience that watch. */
  tell(audience: Audience, event: RelayEvent): void {
    if (audience.kind === 'agent') {
      for (const peer of this.of(audience.agentId))
        if (this.#watchers.get(peer.principal.workspace.id)?.has(peer)) peer.notify(event);
      return;
    }
    for (const peer of this.#watchers.get(audience.workspaceId) ?? [])
      if (audience.kind === 'workspace' || seesWholeWorkspace(peer.principal)) peer.notify(event);
  }

  /** Closes those whose credential is no longer valid. Each removes itself while it closes. */
  end(ended: EndedConnections): void {
    if (ended.kind === 'agent') {
      for (const peer of this.of(ended.agentId)) peer.revoke();
      return;
    }
    if (ended.kind === 'pages') {
      for (const peer of this.#pages())
        if (ended.pageSessionIds.includes(peer.principal.pageSessionId ?? '')) peer.revoke();
      return;
    }
    for (const peer of [...(this.#byWorkspace.get(ended.workspaceId) ?? [])]) {
      if (isAmong(peer.principal, ended)) peer.revoke();
    }
  }

  /** The sessions of the pages that are connected here. */
  pageSessions(): Set<string> {
    return new Set(this.#pages().map(({ principal }) => principal.pageSessionId ?? ''));
  }

  #pages(): Peer[] {
    return [...this.#byWorkspace.values()].flatMap((peers) =>
      [...peers].filter(({ principal }) => principal.pageSessionId !== undefined),
    );
  }
}

type EndedInWorkspace = Extract<EndedConnections, { workspaceId: number }>;

function isAmong(principal: Principal, ended: EndedInWorkspace): boolean {
  if (ended.kind === 'workspace') return ended.who === 'everybody' || !seesWholeWorkspace(principal);
  return principal.keyId !== undefined && ended.keyIds.includes(principal.keyId);
}

function addTo(sets: Map<number, Set<Peer>>, workspaceId: number, peer: Peer): void {
  const set = sets.get(workspaceId);
  if (set) set.add(peer);
  else sets.set(workspaceId, new Set([peer]));
}
