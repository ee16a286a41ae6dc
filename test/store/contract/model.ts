import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Conversation } from '../../../packages/relay/src/core/ports/store/conversations.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { defined, inboxOf, NOW, newWorld } from './world.ts';

/** A message in the model. */
interface ModelMessage {
  seq: number;
  id: string;
  sender: Agent;
  conversation: Conversation;
  recipients: Set<Agent>;
  read: Set<Agent>;
  thread: string | undefined;
  body: string;
}

const AGENTS = 4;
const WORDS = ['otter', 'lynx', 'otter lynx', 'crane'];

const index = fc.nat(1000);
const agent = fc.nat(AGENTS - 1);
const send = { from: agent, body: fc.constantFrom(...WORDS), thread: fc.constantFrom(undefined, 'red') };
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('send' as const), ...send, to: agent }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('post' as const), ...send, channel: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('tell all' as const), ...send }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('join' as const), agent, channel: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('leave' as const), agent, channel: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), agent, index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('redact' as const), index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), agent }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('index' as const), limit: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A store and the model of one workspace in it, changed together. */
class Run {
  store: Store;
  readonly #afterCrash: (store: Store) => Promise<Store>;
  readonly #world: Awaited<ReturnType<typeof newWorld>>;
  readonly #channels: Conversation[];
  readonly #present: Set<Agent>;
  readonly #members = [new Set<Agent>(), new Set<Agent>()];
  readonly #messages: ModelMessage[] = [];

  private constructor(
    store: Store,
    afterCrash: (store: Store) => Promise<Store>,
    world: Awaited<ReturnType<typeof newWorld>>,
    channels: Conversation[],
  ) {
    this.store = store;
    this.#afterCrash = afterCrash;
    this.#world = world;
    this.#channels = channels;
    this.#present = new Set(world.agents);
  }

  static async start(store: Store, afterCrash: (store: Store) => Promise<Store>): Promise<Run> {
    const world = await newWorld(store, AGENTS);
    const channels = [];
    for (const name of ['build', 'design', 'general']) channels.push(await world.newChannel(name));
    return new Run(store, afterCrash, world, channels);
  }

  async apply(step: Step): Promise<void> {
    const { store } = this;
    switch (step.do) {
      case 'send': {
        const [from, to] = [this.#agent(step.from), this.#agent(step.to)];
        return this.#append(step, await this.#dm(from, to), 'agents', new Set([to]));
      }
      case 'post': {
        const channel = defined(this.#channels[step.channel]);
        const members = this.#members[step.channel];
        return members
          ? this.#append(step, channel, 'members', members)
          : this.#append(step, channel, 'workspace', this.#present);
      }
      case 'tell all':
        return this.#append(step, await this.#broadcast(), 'workspace', this.#present);
      case 'join': {
        const [one, members] = [this.#agent(step.agent), defined(this.#members[step.channel])];
        const joins = this.#present.has(one) && !members.has(one);
        expect(await store.addMember(defined(this.#channels[step.channel]).id, one.id, NOW)).toBe(joins);
        if (joins) members.add(one);
        return;
      }
      case 'leave': {
        const [one, members] = [this.#agent(step.agent), defined(this.#members[step.channel])];
        const left = members.delete(one);
        expect(await store.removeMember(defined(this.#channels[step.channel]).id, one.id)).toBe(left);
        return;
      }
      case 'read': {
        const [one, message] = [this.#agent(step.agent), this.#message(step.index)];
        if (!message) return;
        const reads = message.recipients.has(one) && !message.read.has(one);
        const observation = {
          recipientId: one.id,
          seq: message.seq,
          state: 'read',
          path: undefined,
          at: NOW,
        };
        expect(await store.observe([{ ...observation, state: 'read' }])).toBe(reads ? 1 : 0);
        if (reads) message.read.add(one);
        return;
      }
      case 'redact': {
        const message = this.#message(step.index);
        if (!message) return;
        expect(await store.redactMessage(message.seq, NOW)).toBe(message.body !== '');
        message.body = '';
        return;
      }
      case 'remove': {
        const one = this.#agent(step.agent);
        await store.removeAgent(one.id, NOW);
        this.#present.delete(one);
        for (const members of this.#members) members.delete(one);
        return;
      }
      case 'index':
        await store.indexForSearch(step.limit);
        return;
      case 'crash':
        this.store = await this.#afterCrash(store);
        return;
    }
  }

  /** Every query of an agent matches the model; the owner sees all. */
  async check(limit: number): Promise<void> {
    await this.#checkViewer(undefined, limit);
    for (const agent of this.#present) {
      await this.#checkViewer(agent, limit);
      await this.#checkInbox(agent, limit);
    }
  }

  async #append(
    { from, body, thread }: { from: number; body: string; thread: string | undefined },
    conversation: Conversation,
    kind: 'agents' | 'members' | 'workspace',
    audience: Set<Agent>,
  ): Promise<void> {
    const sender = this.#agent(from);
    const recipients = new Set(audience);
    if (kind !== 'agents') recipients.delete(sender);
    const to = kind === 'agents' ? { kind, ids: [...recipients].map(({ id }) => id) } : { kind };
    const draft = this.#world.draft(sender, conversation, [], { body, thread, audience: to });
    const { seq, id, recipients: got } = await this.store.appendMessage(draft);
    expect(new Set(got)).toEqual(new Set([...recipients].map((each) => each.id)));
    this.#messages.push({ seq, id, sender, conversation, recipients, read: new Set(), thread, body });
  }

  async #checkViewer(viewer: Agent | undefined, limit: number): Promise<void> {
    const seen = this.#messages.filter((message) => this.#sees(viewer, message));
    const base = { workspaceId: this.#world.workspace.id, viewer: viewer?.id, limit: 100 };
    const history = async (more: object) =>
      (await this.store.history({ ...base, ...more })).map(({ seq }) => seq);
    const seqs = (messages: ModelMessage[]) => messages.map(({ seq }) => seq);

    expect(await history({})).toEqual(seqs(seen));
    expect(await this.#pages(viewer, limit)).toEqual(seqs(seen));
    expect(await history({ thread: 'red' })).toEqual(seqs(seen.filter(({ thread }) => thread === 'red')));
    for (const other of this.#world.agents) {
      const involved = seen.filter(({ sender, recipients }) => sender === other || recipients.has(other));
      expect(await history({ involvingId: other.id })).toEqual(seqs(involved));
    }
    for (const channel of this.#channels) {
      const posted = seen.filter(({ conversation }) => conversation.id === channel.id);
      expect(await history({ conversationId: channel.id })).toEqual(seqs(posted));
    }
    for (const word of ['otter', 'lynx', '"otter lynx"']) {
      const hits = await this.store.search({ ...base, text: word });
      const wanted = seen.filter(({ body }) => body.includes(word.replaceAll('"', ''))).reverse();
      expect(hits.map(({ message }) => message.seq)).toEqual(seqs(wanted));
    }
    for (const message of this.#messages) {
      const found = await this.store.visibleMessage(viewer?.id, base.workspaceId, message.id);
      expect(found?.body).toBe(seen.includes(message) ? message.body : undefined);
    }
  }

  /** The whole history, read backwards in pages. */
  async #pages(viewer: Agent | undefined, limit: number): Promise<number[]> {
    const seqs: number[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const query = { workspaceId: this.#world.workspace.id, viewer: viewer?.id, limit, before };
      const page = await this.store.history(query);
      if (page.length === 0) return seqs;
      seqs.unshift(...page.map(({ seq }) => seq));
      before = defined(page[0]).seq;
    }
  }

  async #checkInbox(agent: Agent, limit: number): Promise<void> {
    const got = this.#messages.filter(({ recipients }) => recipients.has(agent));
    const unread = got.filter(({ read }) => !read.has(agent)).map(({ seq }) => seq);
    const inbox = async (more: object) =>
      (await this.store.inbox(inboxOf(agent, more))).map(({ seq }) => seq);
    expect(await this.store.countUnread(agent.id, NOW)).toBe(unread.length);
    expect(await inbox({})).toEqual(unread);
    expect(await inbox({ limit })).toEqual(unread.slice(0, limit));
    expect(await inbox({ unreadOnly: false, take: 'newest', limit })).toEqual(
      got.slice(-limit).map(({ seq }) => seq),
    );
  }

  #sees(viewer: Agent | undefined, { sender, recipients, conversation }: ModelMessage): boolean {
    if (viewer === undefined || sender === viewer || recipients.has(viewer)) return true;
    if (conversation.key === '#general') return true;
    const channel = this.#channels.findIndex(({ id }) => id === conversation.id);
    return this.#members[channel]?.has(viewer) ?? false;
  }

  #dm(one: Agent, other: Agent): Promise<Conversation> {
    const key = [one.id, other.id].sort((a, b) => a - b).join(':');
    const { id: workspaceId } = this.#world.workspace;
    return this.store.ensureConversation({ workspaceId, kind: 'dm', key, createdAt: NOW });
  }

  /** Through the store as it is now: the world keeps the one from before a crash. */
  #broadcast(): Promise<Conversation> {
    const { id: workspaceId } = this.#world.workspace;
    return this.store.ensureConversation({ workspaceId, kind: 'broadcast', key: '*', createdAt: NOW });
  }

  #agent(index: number): Agent {
    return defined(this.#world.agents[index]);
  }

  #message(index: number): ModelMessage | undefined {
    return this.#messages[index % this.#messages.length];
  }
}

export function model(open: () => Promise<Store>, afterCrash: (store: Store) => Promise<Store>): void {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  it('matches a model for any interleaving of sends, joins, reads, redactions, removals and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 25 }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, limit) => {
          const run = await Run.start(store, afterCrash);
          try {
            for (const each of steps) await run.apply(each);
            await run.check(limit);
          } finally {
            store = run.store;
          }
        },
      ),
      { numRuns: 15 },
    );
  });
}
