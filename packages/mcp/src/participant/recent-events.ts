import type { RelayEvents } from '@agent-relay/sdk';

/** How much is kept of each kind: many of one kind never push out those of another. */
const MOST_OF_KIND = 50;
const MOST_CHARACTERS_OF_KIND = 16 * 1024;
/** A text, an input or a result longer than this is cut: a tool shows all of it. */
const MOST_CHARACTERS_OF_VALUE = 1000;

const KINDS = {
  message: ['mail.arrived'],
  delivery: [
    'delivery.accepted',
    'delivery.injected',
    'delivery.turn_started',
    'delivery.refused',
    'delivery.uncertain',
    'delivery.read',
    'delivery.acked',
  ],
  action: ['action.invoked', 'action.completed', 'action.failed'],
  session: ['session.started', 'session.ready', 'session.waiting', 'session.resumed', 'session.exited'],
  connection: ['events.missed'],
} as const satisfies Record<string, ReadonlyArray<keyof RelayEvents>>;

type Kind = keyof typeof KINDS;
type Recorded = (typeof KINDS)[Kind][number];
type RecordedEvent = RelayEvents[Recorded][0];

/** What is recorded, by kind. */
export const RECORDED = Object.entries(KINDS) as ReadonlyArray<[Kind, readonly Recorded[]]>;

interface Entry {
  seq: number;
  json: string;
}

/** The latest events of a session, for `relay://events`. In memory: what must last is in the store. */
export class RecentEvents {
  readonly #byKind = new Map<Kind, Entry[]>();
  #count = 0;
  #dropped = 0;

  add(kind: Kind, event: RecordedEvent): void {
    const seq = ++this.#count;
    const json = JSON.stringify({ seq, at: new Date().toISOString(), ...shown(event) });
    const entries = this.#byKind.get(kind) ?? [];
    this.#byKind.set(kind, entries);
    entries.push({ seq, json });
    let characters = entries.reduce((sum, entry) => sum + entry.json.length, 0);
    while (entries.length > MOST_OF_KIND || characters > MOST_CHARACTERS_OF_KIND) {
      characters -= entries.shift()?.json.length ?? 0;
      this.#dropped++;
    }
  }

  /** Oldest first. `dropped`: how many older ones are gone. */
  list(): { events: unknown[]; dropped: number } {
    const entries = [...this.#byKind.values()].flat().sort((one, other) => one.seq - other.seq);
    return { events: entries.map(({ json }) => JSON.parse(json)), dropped: this.#dropped };
  }
}

function shown(event: RecordedEvent): object {
  if (event.type === 'mail.arrived') {
    const { fromType = 'agent', content, ...message } = event.message;
    return { type: 'message.created', message: { ...message, fromType, ...cut({ content }) } };
  }
  if (!('invocation' in event)) return event;
  const { input, result, ...invocation } = event.invocation;
  return {
    ...event,
    invocation: { ...invocation, ...cut({ input }), ...(result === undefined ? {} : cut({ result })) },
  };
}

/** The value, or its beginning and that it was cut. */
function cut(named: Record<string, unknown>): object {
  const [[name = '', value] = []] = Object.entries(named);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= MOST_CHARACTERS_OF_VALUE) return named;
  return { [name]: text.slice(0, MOST_CHARACTERS_OF_VALUE), cut: true };
}
