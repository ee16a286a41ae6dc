import { workspaceKeyId } from '@agent-relay/platform/secrets';
import {
  decodeEnvelope,
  type Envelope,
  encodeEnvelope,
  type HelloPayload,
  type Message,
  RelayError,
  type RelayEvent,
  type WelcomePayload,
} from '@agent-relay/protocol';
import type { HandledCalls } from '../core/calls/handled-calls.ts';
import type { Receiver } from '../core/delivery/receiver.ts';
import { receive } from '../core/delivery/receiving.ts';
import type { Peer } from '../core/directory/connections.ts';
import type { Caller, Ongoing, OnlyOne } from '../core/operations/caller.ts';
import type { PresentConnection } from '../core/ports/directory.ts';
import type { Principal } from '../core/principal.ts';
import type { FairReads } from '../core/reading/fair-reads.ts';
import { type Connection, type ConnectionEvents, Outgoing } from './connections/connection.ts';
import { Intake } from './flow/intake.ts';
import { HIGH_WATER_BYTES } from './flow/limits.ts';
import { Reads } from './flow/reads.ts';
import { type Entrance, introduce } from './handshake.ts';
import { type OngoingFrames, OngoingOperations } from './ongoing.ts';
import { type RequestContext, Requests, toRelayError } from './requests.ts';

export interface SessionContext extends RequestContext {
  /** The common fields of every WELCOME. */
  welcome: Pick<WelcomePayload, 'daemon' | 'heartbeatMs' | 'maxFrameBytes'>;
  /** Maximum pending requests per connection; beyond that it is not read. */
  maxPendingRequests: number;
  /** Shared by all connections. */
  fairReads: FairReads;
  onClosed: (session: Session) => void;
}

/** A connection must identify itself within this time. */
const HELLO_MS = 5_000;
/** Malformed frames before the connection is closed. */
const MAX_MALFORMED = 16;

/** One client's connection from HELLO to the end: its identity, its requests, what it is sent. */
export class Session implements Peer, Caller, ConnectionEvents, OngoingFrames {
  readonly #context: SessionContext;
  readonly #connection: Connection;
  readonly #entrance: Entrance;
  #state: 'new' | 'identifying' | 'open' | 'closing' | 'closed' = 'new';
  #principal: Principal | undefined;
  #session: string | undefined;
  clientSession: string | undefined;
  #stopHelloTimer: (() => void) | undefined;
  readonly #intake: Intake;
  readonly #reads: Reads;
  readonly #requests: Requests;
  readonly #ongoing: OngoingOperations;
  presence: PresentConnection | undefined;
  receiver: Receiver | undefined;
  serving: HandledCalls | undefined;
  hosting: Ongoing | undefined;
  isToldOfMail = false;
  #missedEvents = false;
  #uncount: (() => void) | undefined;
  #malformed = 0;
  #sent = 0;
  #lastHeard: number;
  #lastSent: number;

  constructor(context: SessionContext, connection: Connection, entrance: Entrance) {
    this.#context = context;
    this.#connection = connection;
    this.#entrance = entrance;
    this.#intake = new Intake(connection, context.maxPendingRequests, (text) => this.#take(text));
    this.#reads = new Reads(context.fairReads, connection);
    this.#ongoing = new OngoingOperations(this);
    this.#requests = new Requests(
      context,
      this,
      { intake: this.#intake, reads: this.#reads, ongoing: this.#ongoing },
      this,
    );
    this.#lastHeard = this.#lastSent = context.relay.clock.elapsed();
    this.#stopHelloTimer = context.relay.clock.after(HELLO_MS, () =>
      this.#refuse(new RelayError('HelloRequired', `No HELLO arrived within ${HELLO_MS} ms.`)),
    );
  }

  get principal(): Principal {
    if (!this.#principal) throw new RelayError('HelloRequired');
    return this.#principal;
  }

  get session(): string | undefined {
    return this.#session;
  }

  // ── Events of the connection ───────────────────────────────────────────────

  readonly text = (text: string): void => {
    this.#lastHeard = this.#context.relay.clock.elapsed();
    this.#intake.arrived(text);
  };

  #take(text: string): void {
    if (this.#state !== 'new' && this.#state !== 'open') return;
    let envelope: Envelope;
    try {
      envelope = decodeEnvelope(text);
    } catch (error) {
      this.invalid(error as Error, false);
      return;
    }
    if (this.#state === 'open') this.#handle(envelope, text.length);
    else if (envelope.type === 'HELLO') void this.#hello(envelope, text.length);
    else
      this.#refuse(new RelayError('HelloRequired', `${envelope.type} was sent before HELLO.`), envelope.id);
  }

  #handle(envelope: Envelope, bytes: number): void {
    if (envelope.type === 'PING') this.send('PONG', { id: envelope.id });
    else if (envelope.type !== 'PONG') this.#requests.handle(envelope, bytes);
  }

  invalid(error: Error, fatal: boolean): void {
    const told = error instanceof RelayError ? error : new RelayError('MalformedFrame', error.message);
    this.#malformed += 1;
    if (fatal || this.#state === 'new' || this.#malformed >= MAX_MALFORMED) this.#refuse(told);
    else this.send('ERROR', told.toPayload());
  }

  readonly drained = (): void => {
    this.#ongoing.resume();
    if (this.#missedEvents) {
      this.#missedEvents = false;
      this.notify({ type: 'events.missed' });
    }
    this.#reads.resume();
    this.#intake.speedUp();
  };

  readonly closed = (): void => {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#stopWaitingForHello();
    this.#requests.close();
    if (this.#principal) this.#context.relay.presence.leave(this);
    this.#uncount?.();
    this.#intake.onIdle();
    this.#context.onClosed(this);
  };

  // ── HELLO ──────────────────────────────────────────────────────────────────

  async #hello(envelope: Envelope, bytes: number): Promise<void> {
    const { relay, welcome } = this.#context;
    this.#state = 'identifying';
    // HELLO arrived in time, however long the store takes to find the agent.
    this.#stopWaitingForHello();
    this.#intake.shut();
    try {
      const introduced = await introduce(relay, this.#entrance, envelope.payload);
      if (this.#state !== 'identifying') return;
      introduced.confirm();
      this.#uncount = relay.quotas.connecting(introduced.principal);
      this.#principal = introduced.principal;
      this.#session = introduced.session;
      this.clientSession = introduced.clientSession;
      this.#state = 'open';
      this.send('WELCOME', { ...introduced.welcome, ...welcome } satisfies WelcomePayload);
      relay.presence.join(this);
      const { principal, receiving, resumeAfter } = introduced;
      if (principal.agent)
        receive(relay, this, principal.agent, receiving, { requestId: envelope.id, resumeAfter });
    } catch (error) {
      this.#refuseHello(toRelayError(error, this.#context.onError), envelope, bytes);
      return;
    }
    this.#intake.open();
  }

  /** Refusals of repeated connections over the limit are delayed more each time. */
  #refuseHello(error: RelayError, { id, payload }: Envelope, bytes: number): void {
    const { refusals, relay } = this.#context;
    const refuse = () => this.#refuse(error, id);
    if (error.code !== 'LimitReached') {
      refuse();
      return;
    }
    const { workspaceKey = '' } = payload as HelloPayload;
    const waitMs = refusals.charge(`HELLO ${workspaceKeyId(workspaceKey)}`, bytes);
    if (waitMs === 0) refuse();
    else relay.clock.after(waitMs, refuse);
  }

  #stopWaitingForHello(): void {
    this.#stopHelloTimer?.();
    this.#stopHelloTimer = undefined;
  }

  // ── The caller interface for operations ────────────────────────────────────

  begin(requestId: string, only?: OnlyOne): Ongoing {
    return this.#ongoing.begin(requestId, only);
  }

  end(requestId: string): void {
    this.#ongoing.end(requestId);
  }

  endOnly(kind: OnlyOne): void {
    this.#ongoing.endOnly(kind);
  }

  watch(): void {
    this.#context.relay.presence.watch(this);
  }

  // ── Ongoing operations, and events of the domain ───────────────────────────

  get hasRoom(): boolean {
    return this.#connection.bufferedBytes < HIGH_WATER_BYTES;
  }

  deliver(message: Message): void {
    this.#context.counters.deliveriesPushed += 1;
    this.#connection.send(deliverEnvelope(message));
  }

  /** The store failed during an operation: the client reconnects and resumes. */
  lost(error: unknown): void {
    this.#refuse(toRelayError(error, this.#context.onError));
  }

  notify(event: RelayEvent): void {
    if (this.hasRoom) this.send('EVENT', event);
    else this.#missedEvents = true;
  }

  revoke(): void {
    this.#refuse(new RelayError('Unauthorized', 'The key or token of this connection is no longer valid.'));
    // Ends now, not when the client has read the error.
    this.closed();
  }

  // ── Lifecycle ──────────────────────────────────────────────────────────────

  /** Called periodically: pings a silent peer, and closes one that does not respond. */
  beat(now: number): void {
    const { heartbeatMs } = this.#context.welcome;
    if (this.#state !== 'open') return;
    if (now - this.#lastHeard > 2.5 * heartbeatMs) {
      this.#context.counters.connectionsLost += 1;
      this.#connection.close(true);
    } else if (now - this.#lastHeard >= heartbeatMs || now - this.#lastSent >= heartbeatMs) {
      this.send('PING', {});
    }
  }

  /** Accepts no new requests, answers the open ones, closes. */
  async drain(): Promise<void> {
    this.#requests.refuseAll();
    if (!this.#intake.isIdle && this.#state === 'open') {
      await new Promise<void>((resolve) => {
        this.#intake.onIdle = resolve;
      });
    }
    this.#refuse(new RelayError('ShuttingDown'));
  }

  #refuse(error: RelayError, requestId?: string): void {
    if (this.#state === 'closed' || this.#state === 'closing') return;
    this.#state = 'closing';
    this.#stopWaitingForHello();
    this.send('ERROR', error.toPayload(requestId));
    this.#connection.close();
  }

  send(type: string, payload: unknown): void {
    const { clock } = this.#context.relay;
    this.#lastSent = clock.elapsed();
    this.#sent += 1;
    this.#connection.send(
      type === 'EVENT'
        ? eventEnvelope(payload as RelayEvent, clock.now())
        : new Outgoing(encodeEnvelope(type, `d${this.#sent}`, clock.now(), payload)),
    );
    this.#intake.slowDown();
  }
}

let lastTold: { subject: object; outgoing: Outgoing } | undefined;
let told = 0;

/** An event is sent to its watchers one after the other: it is encoded once and kept for the rest. */
function eventEnvelope(event: RelayEvent, now: number): Outgoing {
  const subject = event.type === 'message.created' ? event.message : event;
  if (lastTold?.subject !== subject) {
    told += 1;
    const text = encodeEnvelope('EVENT', `e${told}`, now, event);
    lastTold = { subject, outgoing: new Outgoing(text, comesWithEachMessage(event)) };
  }
  return lastTold.outgoing;
}

/** Events for watchers only; recipients get the message itself. */
const comesWithEachMessage = ({ type }: RelayEvent): boolean =>
  type === 'message.created' || type.startsWith('delivery.');

let lastDelivered: { message: Message; outgoing: Outgoing } | undefined;

/** A message is sent to its receivers one after the other: its envelope is encoded once and kept for the rest. */
function deliverEnvelope(message: Message): Outgoing {
  if (lastDelivered?.message !== message) {
    const outgoing = new Outgoing(encodeEnvelope('DELIVER', message.id, message.ts, message));
    lastDelivered = { message, outgoing };
  }
  return lastDelivered.outgoing;
}
