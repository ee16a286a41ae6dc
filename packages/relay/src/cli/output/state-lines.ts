import { wrap } from '@agent-relay/platform';
import {
  type DeliveryEvent,
  isPathDown,
  RECEIVING_PATHS,
  type ReceivingPath,
  type RelayEvent,
  type SessionEvent,
  safeLine,
} from '@agent-relay/protocol';
import { cellWidth, columns, styled, whenByClock } from './terminal.ts';

type PathEvent = Extract<RelayEvent, { type: 'path.changed' }>;
export type StateEvent = DeliveryEvent | PathEvent | SessionEvent;

const IDLE = 'idle';
/** Before what does not fit in the line of an agent. */
const MARGIN = '    ';

/** States of messages and agents as lines; repeated lines are left out. */
export class StateLines {
  readonly #paths = new Map<string, Map<ReceivingPath, PathEvent>>();
  readonly #said = new Map<string, string>();
  /** Agents that have started and were not seen ready: an open path alone does not mean that they are idle. */
  readonly #starting = new Set<string>();

  lineFor(event: StateEvent): string | undefined {
    const text = this.#textOf(event);
    if (text === undefined) return undefined;
    const head = `${styled('dim', `  ${whenByClock(Date.now())}`)}  ${safeLine(event.agent)}`;
    const tail = safeLine(text);
    if (cellWidth(`${head}  ${tail}`) <= columns()) return `${head}  ${styled('dim', tail)}`;
    // An id is easier to read and to select in one piece.
    const below = wrap(tail, columns() - MARGIN.length).replace(/^/gm, MARGIN);
    return `${head}\n${styled('dim', below)}`;
  }

  #textOf(event: StateEvent): string | undefined {
    if ('messageId' in event) return deliveryText(event);
    const { agent } = event;
    if (event.type === 'session.started') this.#starting.add(agent);
    if (event.type === 'session.ready' || event.type === 'session.exited') this.#starting.delete(agent);
    if (event.type !== 'path.changed') return sessionText(event);
    const { path } = event;
    const paths = this.#paths.get(agent) ?? new Map<ReceivingPath, PathEvent>();
    this.#paths.set(agent, paths.set(path, event));
    const text = pathText(paths);
    if (text === this.#said.get(agent) || (text === IDLE && this.#starting.has(agent))) return undefined;
    if (text !== undefined) this.#said.set(agent, text);
    return text;
  }
}

const deliveryText = ({ type, messageId, path, reason }: DeliveryEvent): string =>
  [
    type.slice('delivery.'.length),
    path === undefined ? '' : `by ${path}`,
    reason ? `(${reason.text})` : '',
    messageId,
  ]
    .filter((part) => part !== '')
    .join(' ');

/** The state of the path in use: the best one that works. */
function pathText(paths: ReadonlyMap<ReceivingPath, PathEvent>): string | undefined {
  const known = RECEIVING_PATHS.flatMap((path) => paths.get(path) ?? []).filter(
    ({ state }) => state !== 'away',
  );
  const used = known.find((event) => !isPathDown(event));
  const { state, reason } = used ?? known[0] ?? {};
  if (state === undefined) return undefined;
  if (state === 'ready') return reason ? `${IDLE}, ${reason.text}` : IDLE;
  return reason?.code === 'busy' ? 'working' : `waits: ${reason?.text}`;
}

/** What an agent waits for is in the event of its path. */
function sessionText({ type, exit, released }: SessionEvent): string | undefined {
  if (type === 'session.started') return 'started';
  if (type === 'session.ready') return 'ready';
  if (type !== 'session.exited') return undefined;
  if (released) return 'released';
  const how = exit?.signal ?? (exit ? `code ${exit.code}` : '');
  return how === '' ? 'ended' : `ended (${how})`;
}
