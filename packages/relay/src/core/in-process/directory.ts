import type { Clock } from '../ports/clock.ts';
import type { Directory, PresenceOfAgent, PresentConnection } from '../ports/directory.ts';
import { ToolServers } from './tool-servers.ts';

interface Seat {
  /** A list, because few are smaller than a set. */
  presences: PresentConnection[];
  connectedAt: number;
  offeredAt: number;
  lastActivityAt: number;
  activeAt: number;
  cancelLeaving?: () => void;
}

/**
 * The agents connected to the daemons of one process, each of which calls `join`. After a restart
 * the agents reconnect, which rebuilds it.
 */
export class InProcessDirectory {
  readonly #clock: Clock;
  readonly #goneAfterMs: number;
  readonly #seats = new Map<number, Seat>();
  readonly #servers = new ToolServers();

  constructor(clock: Clock, goneAfterMs: number) {
    this.#clock = clock;
    this.#goneAfterMs = goneAfterMs;
  }

  join(): Directory {
    const member: Directory = {
      goneAfterMs: this.#goneAfterMs,
      onGone: () => undefined,
      arrived: (presence) => this.#arrived(presence),
      left: (presence) => this.#left(presence, (...gone) => member.onGone(...gone)),
      active: (agentId) => this.#active(agentId),
      offered: (agentId) => this.#offered(agentId),
      isOnline: (agentId) => (this.#seats.get(agentId)?.presences.length ?? 0) > 0,
      find: (agentId) => this.#find(agentId),
      sessionsOf: (agentId) => (this.#seats.get(agentId)?.presences ?? []).map(({ session }) => session),
      agentsOnline: () => this.#agentsOnline(),
      serves: (server) => this.#servers.replace(server),
      serversOf: (agentId) => this.#servers.of(agentId),
      agentsServing: (workspaceId, tool) => this.#servers.agentsServing(workspaceId, tool),
      findAction: (workspaceId, key) => this.#servers.actions.find(workspaceId, key),
      actionsIn: (workspaceId) => this.#servers.actions.list(workspaceId),
    };
    return member;
  }

  #arrived(presence: PresentConnection): { isFirst: boolean } {
    const { agentId } = presence;
    const now = this.#clock.now();
    const seat = this.#seats.get(agentId);
    if (!seat) {
      const times = {
        connectedAt: now,
        offeredAt: now,
        lastActivityAt: now,
        activeAt: this.#clock.elapsed(),
      };
      this.#seats.set(agentId, { presences: [presence], ...times });
      return { isFirst: true };
    }
    const isFirst = seat.presences.length === 0;
    if (isFirst) {
      seat.connectedAt = now;
      seat.offeredAt = now;
    }
    seat.cancelLeaving?.();
    delete seat.cancelLeaving;
    seat.presences.push(presence);
    this.#active(agentId);
    return { isFirst };
  }

  #left(presence: PresentConnection, onGone: Directory['onGone']): { isLast: boolean } {
    const { agentId } = presence;
    const seat = this.#seats.get(agentId);
    const at = seat?.presences.indexOf(presence) ?? -1;
    if (!seat || at === -1) return { isLast: false };
    seat.presences.splice(at, 1);
    if (seat.presences.length > 0) return { isLast: false };
    seat.cancelLeaving = this.#clock.after(this.#goneAfterMs, () => {
      this.#seats.delete(agentId);
      onGone(agentId, seat.lastActivityAt);
    });
    return { isLast: true };
  }

  #active(agentId: number): void {
    const seat = this.#seats.get(agentId);
    if (!seat) return;
    seat.lastActivityAt = this.#clock.now();
    seat.activeAt = this.#clock.elapsed();
  }

  #offered(agentId: number): void {
    const seat = this.#seats.get(agentId);
    if (seat) seat.offeredAt = this.#clock.now();
  }

  #find(agentId: number): PresenceOfAgent | undefined {
    const seat = this.#seats.get(agentId);
    if (!seat) return undefined;
    const { presences, connectedAt, offeredAt, lastActivityAt, activeAt } = seat;
    return {
      connections: presences.length,
      connectedAt,
      offeredAt,
      lastActivityAt,
      restedMs: this.#clock.elapsed() - activeAt,
    };
  }

  #agentsOnline(): number {
    let online = 0;
    for (const { presences } of this.#seats.values()) if (presences.length > 0) online += 1;
    return online;
  }
}
