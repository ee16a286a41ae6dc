import { type Envelope, type OperationName, parsePayload, RelayError } from '@agent-relay/protocol';
import { isOperation, OPERATIONS } from '@agent-relay/protocol/schemas';
import { accountOf } from '../core/governance/accounts.ts';
import type { Caller } from '../core/operations/caller.ts';
import type { Operations } from '../core/operations/index.ts';
import { type Principal, readerName } from '../core/principal.ts';
import type { Relay } from '../core/relay.ts';
import type { Counters } from './flow/counters.ts';
import type { Intake } from './flow/intake.ts';
import type { Reads } from './flow/reads.ts';
import type { Refusals } from './flow/refusals.ts';
import type { OngoingOperations } from './ongoing.ts';

/** Operations with large reads or answers: they wait for their turn, and for room. */
const READS: ReadonlySet<OperationName> = new Set([
  'WHO',
  'INBOX',
  'CLAIM',
  'HISTORY',
  'MESSAGE_COUNTS',
  'THREAD',
  'SEARCH',
  'CONVERSATIONS',
  'TRACE',
  'READERS',
  'REACT',
  'FETCH',
  'EXPORT',
  'AUDIT',
  'HELD_LIST',
  'DISCOVER',
  'TOOLS',
  'PROMPT_LIST',
  'ACTIONS',
  'INVOCATION',
  'INVOCATIONS',
]);

/** Operations that may continue after their answer. */
const GOES_ON: ReadonlySet<OperationName> = new Set([
  'SEND',
  'WAIT',
  'TAIL',
  'RECEIVE',
  'SERVE',
  'CALL',
  'INVOKE',
  'HOST',
  'TERMINAL_ATTACH',
]);

export interface RequestContext {
  relay: Relay;
  operations: Operations;
  counters: Counters;
  /** Shared by all connections. */
  refusals: Refusals;
  /** Called with internal errors. */
  onError: (error: unknown) => void;
}

/** Where the answers go. */
interface Answers {
  send(type: string, payload: unknown): void;
}

/** The requests of one connection: each is checked, passed to its operation, and answered when done. */
export class Requests {
  readonly #context: RequestContext;
  readonly #caller: Caller;
  readonly #intake: Intake;
  readonly #reads: Reads;
  readonly #ongoing: OngoingOperations;
  readonly #answers: Answers;
  #refusesAll = false;

  constructor(
    context: RequestContext,
    caller: Caller,
    { intake, reads, ongoing }: { intake: Intake; reads: Reads; ongoing: OngoingOperations },
    answers: Answers,
  ) {
    this.#context = context;
    this.#caller = caller;
    this.#intake = intake;
    this.#reads = reads;
    this.#ongoing = ongoing;
    this.#answers = answers;
  }

  /** `bytes` is the size of the request. */
  handle(envelope: Envelope, bytes: number): void {
    const { type, id } = envelope;
    if (!isOperation(type)) {
      const isHello = type === 'HELLO';
      const why = isHello ? 'HELLO was already sent on this connection.' : `"${type}" is not an operation.`;
      this.#answerError(isHello ? 'HELLO' : 'unknown', id, new RelayError('UnknownOperation', why), bytes);
      return;
    }
    if (this.#refusesAll) {
      this.#answerError(type, id, new RelayError('ShuttingDown'), bytes);
      return;
    }
    this.#intake.begun();
    try {
      const params = parsePayload(OPERATIONS[type].params, envelope.payload, type);
      const { principal } = this.#caller;
      const { agent } = principal;
      if (agent && type !== 'ACK' && type !== 'PROGRESS') this.#context.relay.presence.active(agent.id);
      if (GOES_ON.has(type)) this.#ongoing.asked(id);
      // The table pairs each operation's parameters with its handler; the compiler cannot follow that for a variable name.
      const handler = this.#context.operations[type] as (
        caller: Caller,
        params: unknown,
        id: string,
      ) => unknown;
      const handle = () => handler(this.#caller, params, id);
      const result = READS.has(type) ? this.#reads.add(readerName(principal), handle) : handle();
      if (result instanceof Promise) {
        result.then(
          (value) => this.#finish(type, id, value, params),
          (error) => this.#fail(type, id, error, bytes),
        );
      } else this.#finish(type, id, result, params);
    } catch (error) {
      this.#fail(type, id, error, bytes);
    }
  }

  /** Accepts no new ones; started ones are still answered. */
  refuseAll(): void {
    this.#refusesAll = true;
    this.#reads.refuseWaiting();
  }

  /** The connection was closed: no answers are needed any more. */
  close(): void {
    this.#reads.close();
    this.#ongoing.close();
  }

  #finish(type: string, id: string, result: unknown, params: unknown): void {
    this.#context.counters.answered(type, 'ok');
    // Flow control is the only request that is not answered: an answer would add the traffic it is meant to limit.
    const isFlowControl = type === 'ACK' && 'upTo' in (params as object);
    if (!isFlowControl) this.#answers.send('ACK', { id, ...(result as object) });
    this.#done(id);
  }

  #fail(type: string, id: string, error: unknown, bytes: number): void {
    this.#answerError(type, id, toRelayError(error, this.#context.onError), bytes);
    this.#done(id);
  }

  #answerError(type: string, id: string, error: RelayError, bytes: number): void {
    this.#context.counters.answered(type, error.code);
    this.#answers.send('ERROR', error.toPayload(id));
    const { refusals, relay } = this.#context;
    const waitMs = refusals.charge(clientName(this.#caller.principal), bytes);
    if (waitMs > 0) this.#intake.rest(relay.clock, waitMs);
  }

  #done(id: string): void {
    this.#ongoing.answered(id);
    this.#intake.answered();
  }
}

/** The account of refusals: all agents of one key count together. */
const clientName = (principal: Principal): string =>
  principal.agent ? accountOf(principal.agent) : readerName(principal);

/** The error for the client; internal errors also go to `onError`. */
export function toRelayError(error: unknown, onError: RequestContext['onError']): RelayError {
  if (error instanceof RelayError) return error;
  onError(error);
  return new RelayError('Internal', 'The relay failed to process this request.', { cause: error });
}
