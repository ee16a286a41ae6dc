import { safeData } from '@agent-relay/protocol';
import type {
  AgentInfo,
  ChannelInfo,
  ConversationInfo,
  DaemonStatus,
  HeldInfo,
  HistoryMessage,
  Message,
  PromptInfo,
  Relay,
  RelayEvent,
} from '@agent-relay/sdk';
import { batch, signal } from '@preact/signals';
import type { Problem } from '../parts/trouble.tsx';
import { applyAgentEvent, noteSent } from './agents.ts';
import { PROJECT_EVENTS, QUIET_EVENTS } from './events.ts';
import { LatencyLog } from './latency.ts';
import { messageCounts } from './message-counts.ts';
import { RecentMessages } from './recent-messages.ts';
import { TrafficLog } from './traffic.ts';
import { concernsQuestions } from './waiting.ts';

/** The state of the shown project. Empty until `loaded`. */
export const loaded = signal(false);
export const agents = signal<ReadonlyMap<string, AgentInfo>>(new Map());
export const channels = signal<ChannelInfo[]>([]);
/** The person's direct and group conversations, newest first. */
export const direct = signal<ConversationInfo[]>([]);
/** The person's unread messages, by id. */
export const unread = signal<ReadonlyMap<string, Message>>(new Map());
/** How many they are: of very many, `unread` has the oldest. */
export const unreadCount = signal(0);
export const held = signal<HeldInfo[]>([]);
/** Permission prompts that can be answered here, by agent name. */
export const prompts = signal<ReadonlyMap<string, PromptInfo>>(new Map());
export const status = signal<DaemonStatus | undefined>(undefined);
export const projects = signal<string[]>([]);
/** The newest messages of the project, in order. */
export const recent = signal<readonly HistoryMessage[]>([]);
/** Who talked to whom in the last hours, and a number that increases with each change. */
export const trafficLog = signal(new TrafficLog());
export const trafficVersion = signal(0);
/** How long it took until agents read messages; changes with `trafficVersion`, too. */
export const latencyLog = signal(new LatencyLog(Date.now()));
/** Questions to the person, and what may close them, newest last. */
export const mine = signal<readonly HistoryMessage[]>([]);
/** The last error of a background read. */
export const failure = signal<Problem | undefined>(undefined);

/** Updates are batched and shown at most this often: nobody can follow two hundred messages a second. */
const SHOW_EVERY_MS = 200;
/** How often data without events, such as unread counts, is refreshed while something happens. */
const ASK_AGAIN_MS = 5_000;
/** The traffic charts are redrawn at most this often. */
const REDRAW_MS = 2_000;
/** How many messages are read at the start for these charts. */
const COUNTED_AT_START = 2_000;
const STATUS_EVERY_MS = 15_000;
const PAGE = 500;
const SHOWN_CONVERSATIONS = 100;
/** How much of the thread after such a question is read, to see whether it was answered. */
const ANSWERS = 100;
const TWO_WEEKS_MS = 14 * 86_400_000;

/** Keeps the project's state up to date for as long as the connection lasts. */
export class ProjectModel {
  readonly #relay: Relay;
  readonly #recent = new RecentMessages(2000);
  readonly #mine = new RecentMessages(2000);
  readonly #listeners = new Set<(events: readonly RelayEvent[]) => void>();
  #queue: RelayEvent[] = [];
  #showing: ReturnType<typeof setTimeout> | undefined;
  #askingAgain: ReturnType<typeof setTimeout> | undefined;
  #redrawing: ReturnType<typeof setTimeout> | undefined;
  #statusTimer: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  constructor(relay: Relay) {
    this.#relay = relay;
  }

  get me(): string {
    return this.#relay.name ?? '';
  }

  async start(): Promise<void> {
    const relay = this.#relay;
    for (const type of PROJECT_EVENTS) relay.on(type, (event) => this.#happened(event));
    relay.on('mail.arrived', ({ message }) => {
      if (unread.peek().has(message.id)) return;
      unread.value = new Map([...unread.peek(), [message.id, message]]);
      unreadCount.value += 1;
    });
    relay.on('events.missed', () => this.#guard(this.#readAll()));
    relay.on('connected', () => this.#guard(this.#readAll()));
    this.#statusTimer = setInterval(() => this.#guard(this.#readStatus()), STATUS_EVERY_MS);
    await relay.watch();
    await this.#readAll();
    this.#guard(this.#follow());
    this.#guard(this.#countBefore());
    this.#guard(this.#findOlderQuestions());
  }

  /** Reports everything that happens, in small batches, until the returned function is called. */
  listen(listener: (events: readonly RelayEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#showing);
    clearTimeout(this.#askingAgain);
    clearTimeout(this.#redrawing);
    clearInterval(this.#statusTimer);
    batch(() => {
      loaded.value = false;
      agents.value = new Map();
      channels.value = [];
      direct.value = [];
      unread.value = new Map();
      held.value = [];
      prompts.value = new Map();
      recent.value = [];
      mine.value = [];
      trafficLog.value = new TrafficLog();
      latencyLog.value = new LatencyLog(Date.now());
      messageCounts.value = new Map();
      unreadCount.value = 0;
      status.value = undefined;
    });
  }

  readHeld = async (): Promise<void> => {
    const list = await this.#relay.held.list();
    if (!this.#closed) held.value = list;
  };

  readPrompts = async (): Promise<void> => {
    const list = await this.#relay.prompts.list();
    // One that is too long to be shown is answered in its terminal.
    const shown = list.filter(({ tooLong }) => !tooLong);
    if (!this.#closed) prompts.value = new Map(shown.map((prompt) => [prompt.agent, prompt]));
  };

  readChannels = async (): Promise<void> => {
    const list = await this.#relay.channels.list({ includeArchived: true });
    if (!this.#closed) channels.value = safeData(list).sort((a, b) => a.name.localeCompare(b.name));
  };

  /** Marks messages as read. */
  async markRead(messages: readonly Message[]): Promise<void> {
    const seen = messages.map(({ id }) => id).filter((id) => unread.peek().has(id));
    if (seen.length === 0) return;
    unread.value = new Map([...unread.peek()].filter(([id]) => !seen.includes(id)));
    unreadCount.value -= seen.length;
    await this.#relay.read(seen, { path: 'pull' });
  }

  async #readMail(): Promise<void> {
    const [{ messages, unread: count }, conversations] = await Promise.all([
      this.#relay.inbox({ limit: PAGE, markRead: false }),
      this.#relay.conversations({ limit: SHOWN_CONVERSATIONS }),
    ]);
    if (this.#closed) return;
    unread.value = new Map(messages.map((message) => [message.id, message]));
    unreadCount.value = count;
    direct.value = conversations;
  }

  async #readAll(): Promise<void> {
    const relay = this.#relay;
    const me = this.me;
    const [history, own] = await Promise.all([
      relay.history({ limit: PAGE }),
      relay.history({ agent: me, since: Date.now() - TWO_WEEKS_MS, limit: PAGE }),
      this.#readAgents(),
      this.readChannels(),
      this.#readMail(),
      this.readHeld(),
      this.readPrompts(),
      this.#readStatus(),
    ]);
    if (this.#closed) return;
    this.#recent.add(history.messages);
    this.#addMine(own.messages);
    this.#count(history.messages);
    if (!history.more) trafficLog.peek().since = 0;
    batch(() => {
      recent.value = this.#recent.list();
      mine.value = this.#mine.list();
      failure.value = undefined;
    });
    // The lists beside the place are drawn first, in a task of their own.
    await nextTask();
    if (!this.#closed) loaded.value = true;
  }

  /** Reads the last hours for the traffic charts, up to a limit. */
  async #countBefore(): Promise<void> {
    let [oldest] = recent.peek();
    for (let read = PAGE; oldest && read < COUNTED_AT_START; read += PAGE) {
      const { messages, more } = await this.#relay.history({ before: oldest.seq, limit: PAGE });
      if (this.#closed) return;
      this.#count(messages);
      if (!more) trafficLog.peek().since = 0;
      [oldest] = more ? messages : [];
    }
  }

  /** In busy channels, open questions are soon older than the newest messages of the person. */
  async #findOlderQuestions(): Promise<void> {
    const { messages } = await this.#relay.history({
      ...{ agent: this.me, kind: 'question', since: Date.now() - TWO_WEEKS_MS, limit: PAGE },
    });
    const known = new Set(mine.peek().map(({ id }) => id));
    const older = messages.filter((question) => !known.has(question.id) && concerns(question, this.me));
    for (const question of older.toReversed()) {
      const { messages: answers } = await this.#relay.history({
        ...{ thread: question.thread ?? question.id, agent: this.me, after: question.seq, limit: ANSWERS },
      });
      if (this.#closed) return;
      this.#addMine([question, ...answers]);
      mine.value = this.#mine.list();
    }
  }

  #addMine(messages: readonly HistoryMessage[]): void {
    this.#mine.add(messages.filter((message) => concernsQuestions(message, this.me)));
  }

  #count(messages: readonly Message[]): void {
    if (messages.length === 0) return;
    trafficLog.peek().add(messages);
    this.#redrawSoon();
  }

  /** Notes how long messages waited. People are left out: they sleep. */
  #measure(events: readonly RelayEvent[]): void {
    const now = Date.now();
    for (const event of events) {
      if (event.type !== 'delivery.turn_started' && event.type !== 'delivery.read') continue;
      if (event.afterMs === undefined || agents.peek().get(event.agent)?.type === 'human') continue;
      latencyLog.peek().add(`${event.messageId} ${event.agent}`, now, event.afterMs);
      this.#redrawSoon();
    }
  }

  #redrawSoon(): void {
    this.#redrawing ??= setTimeout(() => {
      this.#redrawing = undefined;
      trafficVersion.value += 1;
    }, REDRAW_MS);
  }

  async #readAgents(): Promise<void> {
    const list = await this.#relay.who({ includeOffline: true });
    if (!this.#closed) agents.value = new Map(safeData(list).map((agent) => [agent.name, agent]));
  }

  async #readStatus(): Promise<void> {
    if (this.#relay.state !== 'connected') return;
    const [now, { workspaces }] = await Promise.all([
      this.#relay.status(),
      this.#relay.request('WORKSPACE_LIST', {}),
    ]);
    if (this.#closed) return;
    status.value = now;
    projects.value = workspaces.map(({ name }) => name).sort((a, b) => a.localeCompare(b));
  }

  /** Follows all messages of the project, from the newest one read. */
  async #follow(): Promise<void> {
    const last = recent.value.at(-1)?.seq;
    for await (const message of this.#relay.tail(last === undefined ? {} : { after: last }))
      this.#happened({ type: 'message.created', message });
  }

  #happened(event: RelayEvent): void {
    if (this.#closed) return;
    this.#queue.push(event);
    this.#showing ??= setTimeout(() => this.#show(), SHOW_EVERY_MS);
  }

  #show(): void {
    const events = this.#queue;
    this.#queue = [];
    this.#showing = undefined;
    batch(() => {
      const messages = events.flatMap((event) => (event.type === 'message.created' ? [event.message] : []));
      const own = messages.filter((message) => concerns(message, this.me));
      this.#recent.add(messages);
      this.#addMine(own);
      if (this.#recent.apply(events) || messages.length > 0) recent.value = this.#recent.list();
      if (this.#mine.apply(events) || own.length > 0) mine.value = this.#mine.list();
      this.#count(messages);
      this.#measure(events);
      if (messages.length > 0 || events.some((event) => 'agent' in event)) {
        const known = new Map(agents.value);
        const now = Date.now();
        noteSent(known, messages);
        for (const event of events) applyAgentEvent(known, event, now);
        agents.value = known;
      }
      for (const listener of this.#listeners) listener(events);
    });
    if (events.some(({ type }) => type === 'servers.changed')) this.#guard(this.#readStatus());
    if (events.some(({ type }) => type.startsWith('channel.'))) this.#guard(this.readChannels());
    if (events.some((event) => event.type === 'message.created' && concerns(event.message, this.me)))
      this.#guard(this.#readMail());
    if (events.some(({ type }) => type === 'message.held')) this.#guard(this.readHeld());
    if (events.some(({ type }) => type === 'prompt.changed')) this.#guard(this.readPrompts());
    const isNew = events.some((event) => event.type === 'agent.online' && !agents.peek().has(event.agent));
    if (isNew) this.#guard(this.#readAgents());
    else if (events.some(({ type }) => !QUIET_EVENTS.has(type))) this.#askAgainSoon();
  }

  #askAgainSoon(): void {
    this.#askingAgain ??= setTimeout(() => {
      this.#askingAgain = undefined;
      this.#guard(this.#readAgents());
    }, ASK_AGAIN_MS);
  }

  /** A read that fails because the connection was lost is repeated after the reconnect. */
  #guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (this.#closed || this.#relay.state !== 'connected') return;
      failure.value = error as Problem;
    });
  }
}

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const concerns = (message: Message, me: string): boolean =>
  message.from === me ||
  message.to === me ||
  Boolean(message.group?.includes(me) || message.mentions?.includes(me));
