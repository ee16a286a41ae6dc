import { InProcessBus } from '../../packages/relay/src/core/in-process/bus.ts';
import { InProcessDirectory } from '../../packages/relay/src/core/in-process/directory.ts';
import type { Bus, News } from '../../packages/relay/src/core/ports/bus.ts';
import type { Clock } from '../../packages/relay/src/core/ports/clock.ts';
import type {
  Directory,
  PresentConnection,
  ToolServer,
} from '../../packages/relay/src/core/ports/directory.ts';

/** What one daemon tells the others arrives later, in order, and as a copy: as from another process. */
class Wire<T> {
  readonly #ends = new Set<(told: T) => void>();
  /** What is on its way while the wire is held. */
  #held: Array<() => void> | undefined;

  /** Nothing arrives from now on until `release`; after `lose`, it never does. */
  hold(): { release(): void; lose(): void } {
    const held: Array<() => void> = [];
    this.#held = held;
    const lose = () => {
      this.#held = undefined;
    };
    const release = () => {
      lose();
      for (const arrive of held) setImmediate(arrive);
    };
    return { release, lose };
  }

  /** Returns how to tell all the others. */
  join(hear: (told: T) => void): (told: T) => void {
    this.#ends.add(hear);
    return (told) => {
      const text = JSON.stringify(told);
      const arrive = () => {
        for (const end of this.#ends) if (end !== hear) end(JSON.parse(text));
      };
      if (this.#held) this.#held.push(arrive);
      else setImmediate(arrive);
    };
  }
}

/** A bus of daemons that share no memory. */
export class DistantBus {
  readonly #wire = new Wire<News>();

  /** News is late, or lost. */
  hold(): { release(): void; lose(): void } {
    return this.#wire.hold();
  }

  join(): Bus {
    const here = new InProcessBus();
    const [own, others] = [here.join(), here.join()];
    const tell = this.#wire.join((news) => others.publish(news));
    return {
      publish: (news) => {
        own.publish(news);
        tell(news);
      },
      subscribe: (listener) => own.subscribe(listener),
    };
  }
}

type Change =
  | { kind: 'arrived'; id: string; presence: PresentConnection }
  | { kind: 'left'; id: string; presence: PresentConnection }
  | { kind: 'active'; agentId: number }
  | { kind: 'offered'; agentId: number }
  | { kind: 'serves'; server: ToolServer };

/** A directory of daemons that share no memory: each keeps a copy, and hears what changes at the others. */
export class DistantDirectory {
  readonly #wire = new Wire<Change>();
  readonly #clock: Clock;
  readonly #goneAfterMs: number;

  constructor(clock: Clock, goneAfterMs: number) {
    this.#clock = clock;
    this.#goneAfterMs = goneAfterMs;
  }

  join(): Directory {
    const here = new InProcessDirectory(this.#clock, this.#goneAfterMs);
    const [own, others] = [here.join(), here.join()];
    const { arrived, left, active, offered, serves } = own;
    const ids = new Map<PresentConnection, string>();
    const presences = new Map<string, PresentConnection>();
    const tell = this.#wire.join((change) => {
      if (change.kind === 'serves') others.serves(change.server);
      else if (change.kind === 'arrived') {
        presences.set(change.id, change.presence);
        others.arrived(change.presence);
      } else if (change.kind === 'left') {
        others.left(presences.get(change.id) ?? change.presence);
        presences.delete(change.id);
      } else if (change.kind === 'active') others.active(change.agentId);
      else others.offered(change.agentId);
    });
    const noted = {
      arrived: (presence: PresentConnection) => {
        const id = crypto.randomUUID();
        ids.set(presence, id);
        tell({ kind: 'arrived', id, presence });
        return arrived(presence);
      },
      left: (presence: PresentConnection) => {
        const id = ids.get(presence);
        if (id !== undefined) tell({ kind: 'left', id, presence });
        ids.delete(presence);
        return left(presence);
      },
      active: (agentId: number) => {
        tell({ kind: 'active', agentId });
        active(agentId);
      },
      offered: (agentId: number) => {
        tell({ kind: 'offered', agentId });
        offered(agentId);
      },
      serves: (server: ToolServer) => {
        tell({ kind: 'serves', server });
        serves(server);
      },
    };
    return Object.assign(own, noted);
  }
}
