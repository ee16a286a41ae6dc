import {
  type AgentInfo,
  type DaemonStatus,
  type DeliveryPath,
  encodeEnvelope,
  type Message,
  type OperationInput,
  type OperationName,
  type OperationResult,
  RelayError,
  type SendResult,
  type ToolDefinition,
  type WelcomePayload,
} from '@agent-relay/protocol';
import { callApplication } from './emitter.ts';
import type {
  Inbox,
  InboxOptions,
  RelayEvents,
  SendAndWaitOptions,
  SendOptions,
  WhoOptions,
} from './options.ts';
import type { Session } from './session.ts';
import { Tail } from './tail.ts';

/** How much later than the daemon the client itself stops waiting for an answer. */
const GRACE_MS = 500;

/** A participant's connection to the relay; made by `connect`. */
export class Relay {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  get state(): 'connected' | 'reconnecting' | 'closed' {
    const { state } = this.#session;
    return state === 'connecting' ? 'reconnecting' : state;
  }

  /** Who this client is; undefined for an observer. */
  get name(): string | undefined {
    return this.welcome.agent?.name;
  }

  get project(): string {
    return this.welcome.project;
  }

  /** What the daemon said when the latest connection was made. */
  get welcome(): WelcomePayload {
    return this.#session.welcome;
  }

  /** The token of a newly registered name that brought none. Keep it: it is shown once and proves who you are. */
  get agentToken(): string | undefined {
    return this.#session.agentToken;
  }

  /** Sends a message; resolves when it is stored for good. */
  send(to: string, content: string, { id, ...options }: SendOptions = {}): Promise<SendResult> {
    return this.#session.request('SEND', { to, content, ...options }, id);
  }

  /** Sends a message and waits for the answer, which counts as read. */
  async sendAndWait(to: string, content: string, options: SendAndWaitOptions = {}): Promise<Message> {
    const session = this.#session;
    const { timeoutMs = 30_000, signal, onStored, id = session.newId(), ...rest } = options;
    if (signal?.aborted) throw cancelled(signal);
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    const deadline = Date.now() + timeoutMs;
    let stored = false;
    const request = {
      id,
      sent: false,
      repeatable: true,
      deadline: deadline + GRACE_MS,
      encode: () => {
        const now = Date.now();
        const remaining = Math.max(1, deadline - now);
        return encodeEnvelope('SEND', id, now, { to, content, ...rest, await: { timeoutMs: remaining } });
      },
      expire: () => new RelayError('Timeout', `${to} did not answer within ${timeoutMs} ms.`),
      answer: (result: Record<string, unknown>) => {
        // After a reconnect the daemon confirms once more.
        if (!stored && onStored) callApplication(onStored, result as unknown as SendResult);
        stored = true;
        return false;
      },
      reply: (message: unknown) => resolve(message as Message),
      fail: reject,
    };
    const abort = () => session.cancel(request, cancelled(signal));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      session.open(request);
      const message = await promise;
      // The answer is here in any case. If it cannot be marked, it stays in the inbox as unread.
      await this.read(message.id).catch(() => 0);
      return message;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** The messages in the inbox, oldest first; they become read when they are here, not before. */
  async inbox({ unreadOnly, markRead = true, ...filter }: InboxOptions = {}): Promise<Inbox> {
    const { messages, unread } = await this.request('INBOX', { ...filter, unread_only: unreadOnly });
    if (!markRead) return { messages, unread };
    const fresh = messages.filter(({ readAt }) => readAt === undefined).map(({ id }) => id);
    await this.observe(fresh, 'read', 'pull');
    return { messages, unread: unread - fresh.length };
  }

  /** The agents of the project. */
  async who({ includeIdle, ...options }: WhoOptions = {}): Promise<AgentInfo[]> {
    return (await this.request('WHO', { ...options, include_idle: includeIdle })).agents;
  }

  status(): Promise<DaemonStatus> {
    return this.request('STATUS', {});
  }

  /** What became of a message, for each of its recipients. */
  trace(id: string): Promise<OperationResult<'TRACE'>> {
    return this.request('TRACE', { id });
  }

  /** Replaces what this agent says it can do; also said again after a reconnect. */
  async announce({
    capabilities = [],
    tools = [],
  }: {
    capabilities?: string[];
    tools?: ToolDefinition[];
  }): Promise<void> {
    await this.request('ANNOUNCE', { kind: 'capability_announcement', capabilities, tools });
    Object.assign(this.#session.hello, { capabilities, tools });
  }

  /** Marks messages read; resolves with how many were not yet. */
  read(ids: string | string[]): Promise<number> {
    return this.observe(ids, 'read');
  }

  /** Tells the senders that the messages were dealt with. */
  ack(ids: string | string[]): Promise<number> {
    return this.observe(ids, 'acked');
  }

  /** Reports how far deliveries got, as observed by whoever hands them to an agent. */
  async observe(
    ids: string | string[],
    state: 'accepted' | 'injected' | 'turn_started' | 'read' | 'acked',
    path?: DeliveryPath,
  ): Promise<number> {
    const messages = typeof ids === 'string' ? [ids] : ids;
    if (messages.length === 0) return 0;
    return (await this.request('ACK', { messages, state, path })).changed;
  }

  /** Listens until the function it returns is called. */
  on<Name extends keyof RelayEvents>(
    name: Name,
    listener: (...values: RelayEvents[Name]) => void,
  ): () => void {
    if (name === 'message') return this.#session.deliveries.listen(listener as (message: Message) => void);
    return this.#session.events.on(name, listener);
  }

  /** Listens to the next one only. */
  once<Name extends keyof RelayEvents>(
    name: Name,
    listener: (...values: RelayEvents[Name]) => void,
  ): () => void {
    const stop = this.on(name, (...values) => {
      stop();
      listener(...values);
    });
    return stop;
  }

  /**
   * This agent's messages, one at a time. Asking for the next, or leaving the loop, says that the last one was taken;
   * until then the daemon counts it as not handed over.
   */
  messages(): AsyncGenerator<Message, void, void> {
    return this.#session.deliveries.iterate();
  }

  /**
   * Every message of the project from now on, or after a sequence number, for its owner. It starts when the iteration
   * starts; a client has one at a time.
   */
  async *tail({ after }: { after?: number } = {}): AsyncGenerator<Message, void, void> {
    const session = this.#session;
    if (session.tail) {
      throw new RelayError('InvalidRequest', 'This client follows the project already.', {
        next: 'Share the messages of the first tail, or connect a second client.',
      });
    }
    session.tail = new Tail(
      (position, onAnswer) => session.request('TAIL', { after: position }, session.newId(), onAnswer),
      after,
    );
    try {
      yield* session.tail.iterate();
    } finally {
      session.tail = undefined;
    }
  }

  /** Asks for the events `agent.online`, `agent.offline` and `agents.changed`, also after a reconnect. */
  async watch(): Promise<void> {
    await this.request('WATCH', {});
    this.#session.watching = true;
  }

  /** Any request of the protocol. */
  request<Name extends OperationName>(
    operation: Name,
    params: OperationInput<Name>,
  ): Promise<OperationResult<Name>> {
    return this.#session.request(operation, params);
  }

  /** Tells the daemon what was handed over, then ends; requests without an answer fail with `Cancelled`. */
  close(): Promise<void> {
    return this.#session.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const cancelled = (signal: AbortSignal | undefined): RelayError =>
  new RelayError('Cancelled', 'The waiting was ended by the caller.', { cause: signal?.reason });
