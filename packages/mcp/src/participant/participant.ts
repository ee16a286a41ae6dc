import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { nameKey } from '@agent-relay/protocol';
import { type ActionInfo, type ParticipantOptions, type Relay, RelayError } from '@agent-relay/sdk';
import { joinedProject, strayNotice } from '@agent-relay/sdk/node';
import { cliOf, connectNamedAfter } from './client-name.ts';
import type { Connect } from './identity.ts';
import { Mutex } from './mutex.ts';
import { forwardEvents, type ParticipantEvents } from './participant-events.ts';
import { RecentEvents } from './recent-events.ts';
import { returned } from './returned.ts';
import { SeenActions } from './seen-actions.ts';
import { type ReadMessage, type ReadPage, type ReplyWatch, UnreadMail } from './unread-mail.ts';

/** How long calls wait for a lost daemon; a restart takes less. */
const RETURN_MS = 8000;
/** The minimum a call waits, in which the SDK tries at least once. */
const SHORT_WAIT_MS = 600;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5000;
/** How long calls that began under the agent's old name may take after it has changed. */
const LAST_ANSWERS_MS = 2000;

/**
 * The agent of an MCP session, and its connection to the relay. The daemon may be absent: each call tries to reach
 * it, and so does a watch in the background, from `start` until `close`.
 */
export class Participant {
  readonly events = new EventEmitter<ParticipantEvents>();
  /** What the program behind the session calls itself. */
  clientName: string | undefined;
  readonly #mail = new UnreadMail(() => this.relay());
  readonly #actions = new SeenActions(() => this.relay());
  readonly #changes = new Mutex();
  /** Distinguishes this session from others, also of the same name. */
  readonly #session = randomUUID();
  readonly #passingName: string | undefined;
  #connect: Connect;
  #profile: ParticipantOptions;
  #recent = new RecentEvents();
  /** The profile of the current connection, with the name it got. */
  #present: ParticipantOptions | undefined;
  #relay: Relay | undefined;
  #connecting: Promise<Relay> | undefined;
  #watch: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;
  #isResting = false;
  #isUnreachable = false;
  #lostAt = 0;
  #started = false;
  #closed = false;

  /**
   * Without a name in `profile`, the participant is named after its client; if that has no name either,
   * `passingName`, only while it is connected. Without that it is an observer.
   */
  constructor(connect: Connect, profile: ParticipantOptions, passingName?: string) {
    this.#connect = connect;
    this.#profile = profile;
    this.#passingName = passingName;
    // A server has many sessions, and each follows its participant.
    this.events.setMaxListeners(0);
  }

  /** The name it has or requests; undefined for an observer. */
  get name(): string | undefined {
    return this.#relay?.name ?? this.#present?.name ?? this.#profile.name;
  }

  /** The events that this agent got under its current name. */
  get recentEvents(): RecentEvents {
    return this.#recent;
  }

  /** If nobody chose the project it is in: which one, and why. */
  get strayNotice(): string | undefined {
    const joined = this.#relay && joinedProject(this.#relay);
    return joined && strayNotice(joined, { project: this.#relay?.project ?? '' });
  }

  get isConnected(): boolean {
    return this.#relay?.state === 'connected';
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Sets the client program of the session, before the first connection. */
  introduce(client: { name: string } | undefined): void {
    this.clientName ??= client?.name;
    const cli = client && cliOf(client.name);
    if (cli !== undefined && this.#profile.cli === undefined) this.#profile = { ...this.#profile, cli };
  }

  /** Resolves when connected, when connecting failed, or after this time. */
  async settled(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.relay().then(
      () => resolve(),
      () => resolve(),
    );
    await promise;
    clearTimeout(timer);
  }

  /** Connects in the background, now or as soon as there is a daemon, so that others can see this agent. */
  start(): void {
    this.stay();
    if (this.#started) return;
    this.#started = true;
    this.#reach(FIRST_RETRY_MS);
  }

  /** Disconnects after this time, unless `stay` is called first; the name is then free for others. */
  restAfter(ms: number): void {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#isResting = this.#started;
      this.#started = false;
      clearTimeout(this.#watch);
      void this.#relay?.close();
    }, ms).unref();
  }

  /** Cancels leaving, or reconnects if it has left. */
  stay(): void {
    clearTimeout(this.#rest);
    if (!this.#isResting) return;
    this.#isResting = false;
    this.start();
  }

  /** The connection; rejects with the reason there is none, and the next step. */
  async relay(): Promise<Relay> {
    const relay = this.#relay;
    if (relay?.state === 'connected') return relay;
    if (relay?.state === 'reconnecting') {
      return await returned(relay, Math.max(this.#lostAt + RETURN_MS - performance.now(), SHORT_WAIT_MS));
    }
    return await this.#connectOnce();
  }

  /**
   * Takes a name that the session chose: a new one, or one that its client had before and nobody else holds.
   * With its current name, it only changes its profile.
   */
  register(registration: ParticipantOptions & { name: string }): Promise<Relay> {
    const isPresent = this.name !== undefined && nameKey(this.name) === nameKey(registration.name);
    return this.become({ ...(isPresent ? this.#present : this.#claim()), ...registration });
  }

  /**
   * Switches to another agent, possibly in another workspace. If that fails, everything stays as it was. A connection
   * attempt in progress is awaited first, so that it cannot replace the new connection.
   */
  become(profile: ParticipantOptions, connect: Connect = this.#connect): Promise<Relay> {
    return this.#changes.run(() => {
      const { cli } = this.#profile;
      return this.#connectAs(cli === undefined ? profile : { cli, ...profile }, connect);
    });
  }

  /** Shows the actions that the session may invoke, by name. */
  eachAction(visit: (action: ActionInfo) => void): Promise<void> {
    return this.#actions.each(visit);
  }

  /** Whether the session has seen such an action, in either spelling; it may be gone. */
  knewAction(name: string): boolean {
    return this.#actions.knew(name);
  }

  /** The number of unread messages, requested only if there may be any. */
  countUnread(): Promise<number> {
    return this.#mail.count();
  }

  /** Reads the inbox: see `UnreadMail`. */
  takeMessages<M extends ReadMessage>(
    read: (relay: Relay) => Promise<ReadPage<M>>,
    reply: ReplyWatch,
  ): Promise<ReadPage<M>> {
    return this.#mail.take(read, reply);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#watch);
    clearTimeout(this.#rest);
    this.events.removeAllListeners();
    await this.#relay?.close();
  }

  #connectOnce(): Promise<Relay> {
    const attempt = async () => {
      // The session may have switched to another agent meanwhile, and be connected.
      if (this.#relay?.state === 'connected') return this.#relay;
      return await this.#connectAs(this.#profile, this.#connect);
    };
    this.#connecting ??= this.#changes.run(attempt).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connectAs(profile: ParticipantOptions, connect: Connect): Promise<Relay> {
    const before = this.#relay;
    const { relay, present } = await this.#open(profile, connect);
    if (this.#closed) {
      await relay.close();
      throw new RelayError('Cancelled', 'The session has ended.');
    }
    this.#profile = profile;
    this.#present = present;
    this.#connect = connect;
    try {
      await this.#use(relay);
    } finally {
      await before?.close({ waitMs: LAST_ANSWERS_MS });
    }
    return relay;
  }

  /** An MCP server is notified of messages and counts them; the agent reads them with a tool. */
  async #open(
    profile: ParticipantOptions,
    connectAs: Connect,
  ): Promise<{ relay: Relay; present: ParticipantOptions }> {
    const session = this.#session;
    const connect: Connect = (options) => connectAs({ ...options, session, notify: true, mcpEnabled: true });
    const { name, token, cli } = profile;
    const passing = { ...profile, name: this.#passingName ?? '', ephemeral: true };
    if (name !== undefined || token !== undefined || this.#passingName === undefined)
      return { relay: await connect(profile), present: profile };
    if (cli === undefined) return { relay: await connect(passing), present: passing };
    const claimed = { ...profile, ...this.#claim() };
    return await connectNamedAfter(cli, connect, claimed, { passing, before: this.#present?.name });
  }

  #claim(): Pick<ParticipantOptions, 'claim'> {
    return { claim: { client: this.#profile.cli ?? 'unnamed client', session: this.#session } };
  }

  async #use(relay: Relay): Promise<void> {
    this.#relay = relay;
    this.#isUnreachable = false;
    this.#mail.begin(relay.welcome.unread ?? 0);
    this.#recent = new RecentEvents();
    forwardEvents(relay, this.events, {
      recent: this.#recent,
      mailArrived: () => this.#mail.arrived(),
      actionsMayHaveChanged: () => this.#lookAtActions(),
    });
    relay.on('disconnected', () => {
      this.#lostAt = performance.now();
    });
    relay.on('connected', (welcome) => {
      if ((welcome.unread ?? 0) > 0) this.#mail.arrived();
      this.events.emit('connected');
    });
    // Whatever the reason, the next call or the watch tries again.
    relay.on('closed', (error) => {
      if (this.#relay !== relay) return;
      this.#relay = undefined;
      if (error?.code === 'Unauthorized') this.events.emit('refused');
      if (this.#started && !this.#closed) this.#reach(LAST_RETRY_MS);
    });
    await relay.watch();
    this.events.emit('connected');
    this.#lookAtActions();
  }

  /** Emits an event if the actions changed. */
  #lookAtActions(): void {
    if (this.events.listenerCount('actions') > 0) this.#actions.look(() => this.events.emit('actions'));
  }

  /** Tries to connect, and again with growing pauses. The next call reports the reason of a failure. */
  #reach(retryMs: number): void {
    this.relay().catch((error: unknown) => {
      if (this.#closed) return;
      if (!this.#isUnreachable) this.events.emit('unreachable', error);
      this.#isUnreachable = true;
      clearTimeout(this.#watch);
      this.#watch = setTimeout(() => this.#reach(Math.min(retryMs * 2, LAST_RETRY_MS)), retryMs);
      this.#watch.unref();
    });
  }
}
