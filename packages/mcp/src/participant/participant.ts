import { EventEmitter } from 'node:events';
import { type Inbox, type ParticipantOptions, type Relay, RelayError } from '@agent-relay/sdk';
import { cliOf } from './client-cli.ts';
import { Turns } from './turns.ts';

/** Makes a connection to the relay for a participant; which daemon, and with which credentials, is its business. */
export type Connect = (profile: ParticipantOptions) => Promise<Relay>;

export interface ParticipantEvents {
  /** A message came in. */
  inbox: [];
  /** Agents came or went: this one, or any number of them. */
  agents: [agent?: string];
  /** There is a connection, the first one or a new one. */
  connected: [];
  /** The relay ended the connection for good: the key was revoked, the token replaced. */
  refused: [];
}

/** How long a call waits for a daemon that was there and is gone; a restart takes less. */
const RETURN_MS = 3000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5000;

/**
 * Whom an MCP session speaks for, and its connection to the relay. The daemon may be absent: each call tries to reach
 * it, and so does a watch in the background, from `start` until `close`.
 */
export class Participant {
  readonly events = new EventEmitter<ParticipantEvents>();
  readonly #turns = new Turns();
  #connect: Connect;
  #profile: ParticipantOptions;
  #relay: Relay | undefined;
  #connecting: Promise<Relay> | undefined;
  #watch: NodeJS.Timeout | undefined;
  #started = false;
  /** False only if there is surely nothing unread, so that nobody has to ask. */
  #mayHaveUnread = false;
  #closed = false;

  constructor(connect: Connect, profile: ParticipantOptions) {
    this.#connect = connect;
    this.#profile = profile;
    // A server has many sessions, and each follows its participant.
    this.events.setMaxListeners(0);
  }

  /** The name it has, or asks for; undefined for an observer. */
  get name(): string | undefined {
    return this.#relay?.name ?? this.#profile.name;
  }

  get isConnected(): boolean {
    return this.#relay?.state === 'connected';
  }

  /** Tells which program is behind the session, before the first connection. */
  introduce(client: { name: string } | undefined): void {
    const cli = client && cliOf(client.name);
    if (cli !== undefined && this.#profile.cli === undefined) this.#profile = { ...this.#profile, cli };
  }

  /** Connects in the background, now or as soon as there is a daemon, so that others see this agent. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#reach(FIRST_RETRY_MS);
  }

  /** The connection; rejects with the reason there is none, and how to get one. */
  async relay(): Promise<Relay> {
    const relay = this.#relay;
    if (relay?.state === 'connected') return relay;
    if (relay?.state === 'reconnecting') return await returned(relay);
    return await this.#connectOnce();
  }

  /** Speaks for somebody else from now on, perhaps elsewhere. If that fails, everything stays as it was. */
  async become(profile: ParticipantOptions, connect: Connect = this.#connect): Promise<Relay> {
    const before = this.#relay;
    const next = { cli: this.#profile.cli, ...profile } as ParticipantOptions;
    const relay = await connect(next);
    this.#profile = next;
    this.#connect = connect;
    await this.#use(relay);
    await before?.close();
    return relay;
  }

  /** How many messages are unread, asked only if there may be any. */
  async countUnread(): Promise<number> {
    if (!this.#mayHaveUnread) return 0;
    const relay = await this.relay();
    this.#mayHaveUnread = false;
    const { unread } = await relay.inbox({ limit: 1, markRead: false });
    this.#mayHaveUnread ||= unread > 0;
    return unread;
  }

  /**
   * Reads the inbox; what was unread becomes read once the reply that shows it is written. One reader at a time, from
   * the question to the mark: no message is shown twice, and none is lost with a reply that never arrived.
   */
  async takeMessages(
    read: (relay: Relay) => Promise<Inbox>,
    { afterReply }: { afterReply(action: (written: boolean) => Promise<void>): void },
  ): Promise<Inbox> {
    const leave = await this.#turns.enter();
    try {
      const relay = await this.relay();
      this.#mayHaveUnread = false;
      const inbox = await read(relay);
      const unread = inbox.messages.filter(({ readAt }) => readAt === undefined).map(({ id }) => id);
      this.#mayHaveUnread ||= inbox.unread > unread.length;
      afterReply(async (written) => {
        try {
          if (written) await relay.observe(unread, 'read', 'pull');
          else if (unread.length > 0) this.#mayHaveUnread = true;
        } finally {
          leave();
        }
      });
      return { ...inbox, unread: Math.max(0, inbox.unread - unread.length) };
    } catch (error) {
      leave();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#watch);
    this.events.removeAllListeners();
    await this.#relay?.close();
  }

  #connectOnce(): Promise<Relay> {
    this.#connecting ??= this.#connect(this.#profile)
      .then((relay) => this.#use(relay))
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  async #use(relay: Relay): Promise<Relay> {
    if (this.#closed) {
      await relay.close();
      throw new RelayError('Cancelled', 'The session has ended.');
    }
    this.#relay = relay;
    this.#mayHaveUnread = (relay.welcome.unread ?? 0) > 0;
    relay.on('message', () => {
      this.#mayHaveUnread = true;
      this.events.emit('inbox');
    });
    for (const event of ['agent.online', 'agent.offline'] as const) {
      relay.on(event, ({ agent }) => this.events.emit('agents', agent));
    }
    relay.on('events.missed', () => this.events.emit('agents'));
    relay.on('connected', (welcome) => {
      this.#mayHaveUnread ||= (welcome.unread ?? 0) > 0;
      this.events.emit('connected');
    });
    // Whatever the reason was: the next call, or the watch, asks again.
    relay.on('closed', (error) => {
      if (this.#relay !== relay) return;
      this.#relay = undefined;
      if (error?.code === 'Unauthorized') this.events.emit('refused');
      if (this.#started && !this.#closed) this.#reach(LAST_RETRY_MS);
    });
    await relay.watch();
    this.events.emit('connected');
    return relay;
  }

  /** Tries to connect, and again later, ever less often. The reason it failed is told to the next call that asks. */
  #reach(retryMs: number): void {
    this.relay().catch(() => {
      if (this.#closed) return;
      clearTimeout(this.#watch);
      this.#watch = setTimeout(() => this.#reach(Math.min(retryMs * 2, LAST_RETRY_MS)), retryMs);
      this.#watch.unref();
    });
  }
}

/** Waits a moment for a connection that broke. */
function returned(relay: Relay): Promise<Relay> {
  const { promise, resolve, reject } = Promise.withResolvers<Relay>();
  const gone = () =>
    reject(new RelayError('DaemonNotRunning', 'The daemon was there, and does not answer now.'));
  const timer = setTimeout(gone, RETURN_MS);
  const stops = [
    relay.on('connected', () => resolve(relay)),
    relay.on('closed', (error) => (error ? reject(error) : gone())),
  ];
  return promise.finally(() => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  });
}
