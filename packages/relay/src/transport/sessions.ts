import { encodeEnvelope, RelayError } from '@agent-relay/protocol';
import type { Clock } from '../core/ports/clock.ts';
import { FairReads } from '../core/reading/fair-reads.ts';
import { type AcceptConnection, type ConnectionEvents, Outgoing } from './connections/connection.ts';
import { Refusals } from './flow/refusals.ts';
import type { Entrance } from './handshake.ts';
import { Session, type SessionContext } from './session.ts';

/** How often silent connections are checked: this, or twice per heartbeat if that is more often. */
const SWEEP_MS = 1_000;

/** All connections of the daemon, from all doors. */
export class Sessions {
  readonly #context: Omit<SessionContext, 'onClosed'>;
  readonly #maxConnections: number;
  readonly #sessions = new Set<Session>();
  #stopSweep: () => void = () => undefined;
  #onEmpty: (() => void) | undefined;

  constructor(
    context: Omit<SessionContext, 'onClosed' | 'fairReads' | 'refusals'>,
    { maxConnections, refusalsPerSecond }: { maxConnections: number; refusalsPerSecond: number },
  ) {
    const refusals = new Refusals(context.relay.clock, refusalsPerSecond);
    this.#context = { ...context, refusals, fairReads: new FairReads() };
    this.#maxConnections = maxConnections;
    this.#sweep(context.relay.clock);
  }

  /** For an entrance: creates a session for each of its connections. */
  acceptAt(entrance: Entrance): AcceptConnection {
    // The last tenth is reserved for the user's own programs.
    const reserve = entrance.kind === 'remote' ? Math.floor(this.#maxConnections / 10) : 0;
    const most = this.#maxConnections - reserve;
    return (connection) => {
      if (this.#sessions.size >= most) {
        const error = new RelayError(
          'Overloaded',
          `The daemon has reached its limit of ${most} connections.`,
        );
        connection.send(
          new Outgoing(encodeEnvelope('ERROR', 'd1', this.#context.relay.clock.now(), error.toPayload())),
        );
        connection.close();
        return DEAF;
      }
      this.#context.counters.connectionsOpened += 1;
      const session = new Session({ ...this.#context, onClosed: this.#forget }, connection, entrance);
      this.#sessions.add(session);
      return session;
    };
  }

  /** Lets every connection finish its requests, closes it, and waits until all are closed. */
  async drain(): Promise<void> {
    this.#stopSweep();
    if (this.#sessions.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    await Promise.all([...this.#sessions].map((session) => session.drain()));
    await empty;
  }

  readonly #forget = (session: Session): void => {
    this.#sessions.delete(session);
    if (this.#sessions.size === 0) this.#onEmpty?.();
  };

  #sweep(clock: Clock): void {
    const sweepMs = Math.min(SWEEP_MS, this.#context.welcome.heartbeatMs / 2);
    this.#stopSweep = clock.after(sweepMs, () => {
      const now = clock.elapsed();
      for (const session of this.#sessions) session.beat(now);
      this.#sweep(clock);
    });
  }
}

/** The event handlers of a refused connection. */
const DEAF: ConnectionEvents = {
  text: () => undefined,
  invalid: () => undefined,
  drained: () => undefined,
  closed: () => undefined,
};
