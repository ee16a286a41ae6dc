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
  /** Channels were made, changed, entered or left. */
  channels: [];
  /** There is a connection, the first one or a new one. */
  connected: [];
  /** The relay ended the connection for good: the key was revoked, the token replaced. */
  refused: [];
}

const AGENT_EVENTS = ['agent.online', 'agent.offline', 'agent.removed', 'agent.renamed'] as const;
const CHANNEL_EVENTS = [
  'channel.created',
  'channel.archived',
  'channel.opened',
  'channel.joined',
  'channel.left',
  'channel.topic',
] as const;

/** Runs an action once a reply was written to the client, or will never be. */
export interface ReplyWatch {
  afterReply(action: (written: boolean) => Promise<void>): void;
}

/** How long after a daemon was lost calls still wait for it; a restart takes less. */
const RETURN_MS = 8000;
/** What a call waits in any case, in which the SDK tries at least once. */
const SHORT_WAIT_MS = 600;
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
  #lostAt = 0;
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
    if (relay?.state === 'reconnecting') {
      return await returned(relay, Math.max(this.#lostAt + RETURN_MS - Date.now(), SHORT_WAIT_MS));
    }
    return await this.#connectOnce();
  }

  /** Speaks for somebody else from now on, perhaps elsewhere. If that fails, everything stays as it was. */
  async become(profile: ParticipantOptions, connect: Connect = this.#connect): Promise<Relay> {
    const before = this.#relay;
    const { cli } = this.#profile;
    const next = cli === undefined ? profile : { cli, ...profile };
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
   * Reads the inbox; what was unread becomes read once the reply that shows it is written, so that none is lost with a
   * reply that never arrived. One reader at a time, from the question to the mark: two never get the same message.
   */
  async takeMessages(read: (relay: Relay) => Promise<Inbox>, { afterReply }: ReplyWatch): Promise<Inbox> {
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
    for (const event of AGENT_EVENTS) relay.on(event, ({ agent }) => this.events.emit('agents', agent));
    for (const event of CHANNEL_EVENTS) relay.on(event, () => this.events.emit('channels'));
    relay.on('events.missed', () => {
      this.events.emit('agents');
      this.events.emit('channels');
    });
    relay.on('disconnected', () => {
      this.#lostAt = Date.now();
    });
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

/** Waits for a connection that broke. */
function returned(relay: Relay, waitMs: number): Promise<Relay> {
  const { promise, resolve, reject } = Promise.withResolvers<Relay>();
  const gone = () =>
    reject(new RelayError('DaemonNotRunning', 'The daemon was there, and does not answer now.'));
  const timer = setTimeout(gone, waitMs);
  const stops = [
    relay.on('connected', () => resolve(relay)),
    relay.on('closed', (error) => (error ? reject(error) : gone())),
  ];
  return promise.finally(() => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  });
}
