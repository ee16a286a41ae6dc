import {
  type CallProgress,
  type CallResultPayload,
  durationText,
  type Envelope,
  type ErrorPayload,
  encodeEnvelope,
  type HelloPayload,
  idMaker,
  isOnlyNow,
  isRepeatable,
  MAX_FRAME_BYTES,
  type Message,
  nameKey,
  type OperationInput,
  type OperationName,
  type OperationResult,
  parseChannelName,
  RelayError,
  type RelayEvent,
  type ReplyPayload,
  type ServedCallPayload,
  type WelcomePayload,
} from '@agent-relay/protocol';
import type { ParticipantOptions, RelayEvents } from '../options.ts';
import type { Tail } from '../relay/messages/tail.ts';
import type { ReconnectOptions } from './backoff.ts';
import { Deliveries } from './deliveries.ts';
import { Emitter } from './emitter.ts';
import { type ConnectionState, ReconnectingConnection } from './reconnecting-connection.ts';
import { type OpenRequest, Requests } from './requests.ts';
import type { OpenWire } from './wire.ts';

/** Made again, these act again: their own id, which would prevent that, is lost with the error. */
const actsAgain = (operation: OperationName): boolean =>
  operation === 'SEND' || operation === 'SPAWN' || !isRepeatable(operation);
export const MAY_HAVE_HAPPENED = {
  next: 'It may have taken effect. Check that before you try again.',
  retryable: false,
};

/** The maximum number of requests waiting for a connection. */
const MAX_WAITING = 10_000;

export interface ClientSessionOptions {
  open: OpenWire;
  hello: HelloPayload;
  token: ParticipantOptions['token'] | undefined;
  channels: string[];
  reconnect: ReconnectOptions | false;
  requestTimeoutMs: number;
}

/** Handles the calls of the tools and actions that a client serves. */
interface CallHandler {
  called(asked: ServedCallPayload): void;
  cancelled(event: Extract<RelayEvent, { type: 'call.cancelled' }>): void;
  connectionLost(error: RelayError): void;
  /** On a new connection, before anything else. */
  serveAgain(): void;
}

/** The state of a client across its connections: open requests, deliveries, subscriptions. */
export class ClientSession {
  readonly events = new Emitter<RelayEvents>();
  readonly deliveries: Deliveries;
  readonly hello: HelloPayload;
  /** Issued for a new name without a token. */
  agentToken: string | undefined;
  tail: Tail | undefined;
  tools: CallHandler | undefined;
  watching = false;
  readonly #requests = new Requests();
  readonly #connection: ReconnectingConnection;
  readonly #requestTimeoutMs: number;
  readonly #started = Promise.withResolvers<void>();
  /** Ids must not collide with those of another client of the same agent, so each client has a prefix. */
  readonly #idWord = Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join(
    '',
  );
  readonly #newId = idMaker(Date.now, Math.random);
  #token: ClientSessionOptions['token'];
  #shownToken: string | undefined;
  #channels: string[];
  #welcome: WelcomePayload | undefined;
  #endedBy: RelayError | undefined;
  /** What the latest HELLO said about deliveries; this may have changed while it was on its way. */
  #saidWanted = false;
  /** The latest RECEIVE, until it is answered: earlier deliveries were for consumers that have left. */
  #receiveAsked: string | undefined;

  constructor({ open, hello, token, channels, reconnect, requestTimeoutMs }: ClientSessionOptions) {
    this.hello = hello;
    this.#token = token;
    this.#channels = channels;
    this.#requestTimeoutMs = requestTimeoutMs;
    this.deliveries = new Deliveries({
      acknowledge: (upTo) => this.post('ACK', { upTo }),
      receive: () => this.#askToReceive(),
    });
    this.#connection = new ReconnectingConnection({
      open,
      reconnect,
      timeoutMs: requestTimeoutMs,
      hello: () => this.#currentHello(),
      onUp: (welcome) => this.#up(welcome),
      onEnvelope: (envelope) => this.#receive(envelope),
      onLost: (error) => {
        this.#requests.connectionLost(error);
        this.tools?.connectionLost(error);
        this.events.emit('disconnected', error);
      },
      onRetry: (retry) => this.events.emit('reconnecting', retry),
      onFailed: (error) => this.#end(error),
    });
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  get welcome(): WelcomePayload {
    if (this.#welcome) return this.#welcome;
    throw new RelayError('Connection', 'Not connected yet.');
  }

  /** Resolves when the first connection is up and the agent has joined its channels. */
  async start(): Promise<void> {
    this.#connection.start();
    await this.#started.promise;
    try {
      const joins = this.#channels.map((channel) => this.request('CHANNEL_JOIN', { channel, create: true }));
      await Promise.all(joins);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** The agent left the channel: do not join it again on reconnect. */
  forgetChannel(name: string): void {
    const key = channelKey(name);
    this.#channels = this.#channels.filter((channel) => channelKey(channel) !== key);
  }

  newId(word = 'c'): string {
    return `${this.#newId(word)}-${this.#idWord}`;
  }

  /** `onAnswer` gets the answer before anything the daemon sent after it; the promise resolves a little later. */
  request<Name extends OperationName>(
    operation: Name,
    params: OperationInput<Name>,
    id = this.newId(),
    onAnswer?: (result: OperationResult<Name>) => void,
    timeoutMs = this.#requestTimeoutMs,
  ): Promise<OperationResult<Name>> {
    return new Promise((resolve, reject) => {
      const text = encodeEnvelope(operation, id, Date.now(), params);
      this.open({
        id,
        sent: false,
        encode: () => text,
        repeatable: isRepeatable(operation),
        onlyNow: isOnlyNow(operation),
        deadline: performance.now() + timeoutMs,
        expire: (wasSent) =>
          new RelayError(
            'Timeout',
            `${operation} was not answered within ${durationText(timeoutMs)}.`,
            wasSent && actsAgain(operation) ? MAY_HAVE_HAPPENED : {},
          ),
        lose: (cause) =>
          new RelayError('Connection', `The connection was lost before ${operation} was answered.`, {
            ...MAY_HAVE_HAPPENED,
            cause,
          }),
        answer: (result) => {
          onAnswer?.(result as OperationResult<Name>);
          resolve(result as OperationResult<Name>);
          return true;
        },
        fail: reject,
      });
    });
  }

  /** Sends the request, now or when connected; its callbacks report the outcome. */
  open(request: OpenRequest): void {
    const text = request.encode();
    const refusal = this.#refusal(request, text);
    if (refusal) {
      request.fail(refusal);
      return;
    }
    this.#requests.add(request);
    if (this.#connection.state === 'connected') this.#transmit(request, text);
  }

  /** Stops waiting for an answer; tells the daemon too, if it is waiting. */
  cancel(request: OpenRequest, error: RelayError): void {
    if (request.sent) this.post('CANCEL', { id: request.id });
    this.#requests.fail(request.id, error);
  }

  async close(waitMs = 0): Promise<void> {
    if (waitMs > 0) await this.#requests.none(waitMs);
    if (this.#endedBy) return;
    this.deliveries.flush();
    const closed = this.#connection.close();
    this.#end();
    await closed;
  }

  #refusal({ id, onlyNow }: OpenRequest, text: string): RelayError | undefined {
    if (this.#endedBy) return this.#endedBy;
    if (this.#requests.has(id)) {
      return new RelayError('IdConflict', `A request with the id ${id} is still waiting for its answer.`);
    }
    if (onlyNow && this.#connection.state !== 'connected')
      return new RelayError('Connection', 'The daemon does not answer. Nothing was sent.');
    if (this.#connection.state !== 'connected' && this.#requests.size >= MAX_WAITING) {
      return new RelayError('Overloaded', `${MAX_WAITING} requests are waiting for a connection.`);
    }
    // The daemon would close the connection on a frame that is too large, and again on each retry.
    const limit = this.#welcome?.maxFrameBytes ?? MAX_FRAME_BYTES;
    if (text.length * 3 <= limit || new TextEncoder().encode(text).length <= limit) return undefined;
    return new RelayError(
      'FrameTooLarge',
      `The request is larger than the ${limit} bytes the daemon accepts.`,
    );
  }

  #transmit(request: OpenRequest, text: string): void {
    request.sent = true;
    this.#connection.send(text);
  }

  /** Sends without expecting an answer; false if there is no connection. */
  post<Name extends OperationName>(
    operation: Name,
    params: OperationInput<Name>,
    id = this.newId(),
  ): boolean {
    if (this.#connection.state !== 'connected') return false;
    this.#connection.send(encodeEnvelope(operation, id, Date.now(), params));
    return true;
  }

  #askToReceive(): void {
    if (!this.#welcome?.agent || this.hello.paths) return;
    const id = this.newId();
    if (this.post('RECEIVE', { ...this.#receiving(), ...this.#resuming() }, id)) this.#receiveAsked = id;
  }

  async #currentHello(): Promise<HelloPayload> {
    const token = typeof this.#token === 'function' ? await this.#token() : this.#token;
    this.#shownToken = token;
    this.#saidWanted = this.deliveries.areWanted;
    const name = this.hello.name === undefined ? undefined : this.#welcome?.agent?.name;
    return {
      ...this.hello,
      ...this.#receiving(),
      ...this.#resuming(),
      ...(name === undefined ? {} : { name, returning: true }),
      ...(token === undefined ? {} : { token }),
    };
  }

  /** The paths of this client: those it was created with, or `push` while it has consumers. */
  #receiving(): Pick<HelloPayload, 'paths' | 'notify' | 'receiver' | 'hooks'> {
    const { paths, notify = false, receiver = this.#idWord, hooks } = this.hello;
    const wanted = paths ?? (this.deliveries.areWanted ? ['push'] : []);
    return { paths: wanted, notify, receiver, ...(hooks && { hooks }) };
  }

  #resuming(): Pick<HelloPayload, 'resumeAfter'> {
    const { resumeAfter } = this.deliveries;
    return resumeAfter === undefined ? {} : { resumeAfter };
  }

  #up(welcome: WelcomePayload): void {
    const isFirst = this.#welcome === undefined;
    this.#welcome = welcome;
    this.agentToken = welcome.agentToken ?? this.agentToken;
    // From now on this token identifies the agent, even if it is renamed.
    this.#token = welcome.agentToken ?? this.#shownToken;
    if (welcome.resumeAfter === 0) this.deliveries.begin();
    this.#receiveAsked = undefined;
    if (this.deliveries.areWanted !== this.#saidWanted) this.#askToReceive();
    const waiting = [...this.#requests];
    // Before requests made meanwhile, which may need the channels.
    if (!isFirst) this.tools?.serveAgain();
    if (!isFirst) for (const channel of this.#channels) this.post('CHANNEL_JOIN', { channel, create: true });
    for (const request of waiting) this.#transmit(request, request.encode());
    this.deliveries.flush();
    if (isFirst) {
      this.#started.resolve();
      return;
    }
    void this.tail?.resume();
    if (this.watching) {
      this.post('WATCH', {});
      this.events.emit('events.missed', { type: 'events.missed' });
    }
    this.events.emit('connected', welcome);
  }

  #receive({ type, payload }: Envelope): void {
    if (type === 'ACK') {
      const { id, ...result } = payload as { id: string };
      if (id === this.#receiveAsked) this.#receiveAsked = undefined;
      else this.#requests.answer(id, result);
    } else if (type === 'DELIVER') {
      const message = asMessage(payload);
      if (this.#receiveAsked === undefined) this.deliveries.receive(message);
    } else if (type === 'ERROR') this.#refused(payload as ErrorPayload & { id: string });
    else if (type === 'REPLY') {
      const { id, message } = payload as ReplyPayload;
      this.deliveries.takenAsReply(asMessage(message).seq);
      this.#requests.reply(id, message);
    } else if (type === 'EVENT') this.#happened(payload as RelayEvent);
    else if (type === 'RESULT') {
      const { id, result } = payload as CallResultPayload;
      this.#requests.reply(id, result);
    } else if (type === 'PROGRESS') {
      const { id, ...progress } = payload as CallProgress & { id: string };
      this.#requests.progress(id, progress);
    } else if (type === 'CALL') this.tools?.called(payload as ServedCallPayload);
  }

  #refused(payload: ErrorPayload & { id: string }): void {
    // The HELLO of the next connection includes this.
    if (payload.id === this.#receiveAsked && payload.code !== 'ShuttingDown')
      throw new RelayError('Connection', `The daemon does not deliver: ${payload.message}`);
    // A daemon that is shutting down has not handled what it refuses: it is sent again after the reconnect.
    const error = RelayError.fromPayload(payload);
    if (payload.code === 'ShuttingDown') this.#requests.postpone(payload.id, error);
    else this.#requests.fail(payload.id, error);
  }

  #happened(event: RelayEvent): void {
    if (event.type === 'call.cancelled') this.tools?.cancelled(event);
    if (event.type === 'message.created' && !this.tail?.receive(asMessage(event.message))) return;
    // The type of an event decides which one it is; TypeScript cannot follow that through the table of events.
    this.events.emit(event.type, event as never);
  }

  #end(error?: RelayError): void {
    this.#endedBy = error ?? new RelayError('Cancelled', 'The client was closed.');
    this.#started.reject(this.#endedBy);
    this.deliveries.end(error);
    this.tail?.end(error);
    this.tools?.connectionLost(this.#endedBy);
    this.#requests.close(this.#endedBy);
    this.events.emit('closed', error);
  }
}

const channelKey = (name: string): string => nameKey(parseChannelName(name));

/** The content of a message is trusted, the sequence number is checked: order and memory depend on it. */
function asMessage(value: unknown): Message {
  if (Number.isSafeInteger((value as Partial<Message> | null | undefined)?.seq)) return value as Message;
  throw new RelayError('MalformedFrame', 'The daemon sent a message without a sequence number.');
}
