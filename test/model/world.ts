import { type ErrorCode, isRelayError, type OperationInput } from '@agent-relay/protocol';
import { expect } from 'vitest';
import type { Workspace } from '../../packages/relay/src/core/ports/store/workspaces.ts';
import type { Participant, TestCore } from '../kit/core.ts';
import { GENERAL, Model, type Place, type Said, type Somebody } from './model.ts';
import { CHANNELS, NAMES, type Step } from './steps.ts';

const BRIEF_MS = 20;

/** An agent of the model and its real connection. */
export interface Seat {
  somebody: Somebody;
  participant: Participant;
  /** How much had been said when it connected, and what of it was unread: that, and the rest, is pushed to it. */
  since: number;
  unread: Said[];
}

type Steps = { [Type in Step['type']]: (step: Extract<Step, { type: Type }>) => Promise<void> };

/** One workspace, and its model. Each step is applied to both. */
export class World {
  readonly #core: TestCore;
  readonly workspace: Workspace;
  readonly model = new Model(CHANNELS);
  readonly #seats = new Map<string, Seat>();

  private constructor(core: TestCore, workspace: Workspace) {
    this.#core = core;
    this.workspace = workspace;
  }

  static async open(core: TestCore): Promise<World> {
    const world = new World(core, await core.newWorkspace());
    await Promise.all([
      ...CHANNELS.map((name) => world.owner.request('CHANNEL_CREATE', { name })),
      ...NAMES.map((name) => world.#seat(name, world.model.register(name))),
    ]);
    return world;
  }

  get owner(): Participant {
    return this.#core.owner(this.workspace);
  }

  get seats(): Seat[] {
    return [...this.#seats.values()];
  }

  get now(): number {
    return this.#core.clock.now();
  }

  async take(step: Step): Promise<void> {
    // No two steps at the same time: what came first can be told.
    this.#core.clock.advance(1);
    const action = this.#steps[step.type] as (step: Step) => Promise<void>;
    await action(step);
  }

  readonly #steps: Steps = {
    send: ({ by, to, text, isBrief, isDeclared }) =>
      this.#whoIsThere(by, async (seat) => {
        const place = this.#place(seat.somebody, to);
        const expiresAt = isBrief ? this.now + BRIEF_MS : undefined;
        const participant = isDeclared ? seat.participant.declared() : seat.participant;
        const message = { to, content: text, ...(expiresAt ? { expiresAt } : {}) };
        await this.#say({ ...seat, participant }, place, message);
      }),
    reply: ({ by, message, text }) =>
      this.#whoIsThere(by, async (seat) => {
        const parent = this.#pick(message);
        if (!parent) return;
        const place = this.model.placeOfAnswer(seat.somebody, parent);
        await this.#say(seat, place, { replyTo: parent.id, content: text }, parent.thread ?? parent.id);
      }),
    burst: async ({ sends }) => {
      const started = sends.flatMap(({ by, to, text }) => {
        const seat = this.#seats.get(by);
        const place = seat && this.#place(seat.somebody, to);
        if (!seat || typeof place !== 'object') return [];
        const sent = seat.participant.request('SEND', { to, content: text });
        return [{ sender: seat.somebody, place, text, sent }];
      });
      const stored = await Promise.all(started.map(async (one) => ({ ...one, ...(await one.sent) })));
      for (const { sender, place, text, messageId: id } of stored.toSorted((a, b) => a.seq - b.seq))
        this.model.say({
          id,
          sender,
          unverified: false,
          place,
          text,
          thread: undefined,
          expiresAt: undefined,
        });
      for (const mine of Map.groupBy(stored, ({ sender }) => sender).values()) {
        const seqs = mine.map(({ seq }) => seq);
        expect(seqs, 'the order of one sender').toEqual(seqs.toSorted((a, b) => a - b));
      }
    },
    read: ({ by, message }) =>
      this.#whoIsThere(by, async ({ somebody, participant }) => {
        const picked = this.#pick(message);
        if (!picked) return;
        const refusal = picked.recipients.has(somebody) ? undefined : 'MessageNotFound';
        await outcome(participant.request('ACK', { messages: [picked.id], state: 'read' }), refusal);
        if (!refusal) picked.read.add(somebody);
      }),
    react: ({ by, message, emoji, remove }) =>
      this.#whoIsThere(by, async ({ somebody, participant }) => {
        const picked = this.#pick(message);
        if (!picked) return;
        const refusal = this.model.sees(somebody, picked) ? undefined : 'MessageNotFound';
        await outcome(participant.request('REACT', { message: picked.id, emoji, remove }), refusal);
        if (refusal) return;
        const { reactions } = picked;
        const index = reactions.findIndex((one) => one.by === somebody && one.emoji === emoji);
        if (remove && index >= 0) reactions.splice(index, 1);
        if (!remove && index < 0) reactions.push({ by: somebody, emoji });
      }),
    redact: ({ by, message }) =>
      this.#whoIsThere(by, async ({ somebody, participant }) => {
        const picked = this.#pick(message);
        if (!picked) return;
        const isSeen = this.model.sees(somebody, picked);
        const refusal = isSeen ? (picked.sender === somebody ? undefined : 'Forbidden') : 'MessageNotFound';
        await outcome(participant.request('REDACT', { message: picked.id }), refusal);
        if (!refusal) this.model.redact(picked);
      }),
    join: ({ by, channel }) =>
      this.#whoIsThere(by, async ({ somebody, participant }) => {
        const joined = !this.model.isMember(somebody, channel);
        expect(await participant.request('CHANNEL_JOIN', { channel })).toMatchObject({ joined });
        this.model.members.get(channel)?.add(somebody);
      }),
    leave: ({ by, channel }) =>
      this.#whoIsThere(by, async ({ somebody, participant }) => {
        const left = this.model.members.get(channel)?.delete(somebody);
        expect(await participant.request('CHANNEL_LEAVE', { channel })).toEqual({ left });
      }),
    search: ({ by, word }) => this.#whoIsThere(by, (seat) => this.checkSearch(seat, word)),
    remove: async ({ agent }) => {
      const seat = this.#seats.get(agent);
      if (!seat) return;
      await this.owner.request('AGENT_REMOVE', { agent });
      this.model.remove(seat.somebody);
      this.#seats.delete(agent);
    },
    return: async () => {
      const missing = NAMES.filter((name) => !this.#seats.has(name));
      for (const name of missing) await this.#seat(name, this.model.register(name));
    },
    wait: async () => this.#core.clock.advance(BRIEF_MS),
    crash: async () => {
      await this.#core.restart();
      await Promise.all(
        this.seats.map(({ somebody, participant }) => this.#seat(somebody.name, somebody, participant.token)),
      );
    },
  };

  async checkSearch({ somebody, participant }: Seat, word: string): Promise<void> {
    const { hits } = await participant.request('SEARCH', { query: word, limit: 100 });
    expect(
      hits.map(({ message }) => message.id),
      `what ${somebody.name} finds with ${word}`,
    ).toEqual(this.found(somebody, word));
  }

  found(somebody: Somebody | undefined, word: string): string[] {
    const found = this.model.visible(somebody).filter(({ text }) => text.includes(word));
    return found.map(({ id }) => id).reverse();
  }

  async #seat(name: string, somebody: Somebody, token?: string): Promise<void> {
    const unread = this.model.unread(somebody, this.now);
    const participant = await this.#core.join(this.workspace, name, token === undefined ? {} : { token });
    this.#seats.set(name, { somebody, participant, since: this.model.said.length, unread });
  }

  async #whoIsThere(name: string, act: (seat: Seat) => Promise<void>): Promise<void> {
    const seat = this.#seats.get(name);
    if (seat) await act(seat);
  }

  #pick(number: number): Said | undefined {
    const { said } = this.model;
    return said[number % said.length];
  }

  #place(sender: Somebody, to: string | string[]): Place | ErrorCode {
    if (to === '*') return { kind: 'broadcast' };
    if (typeof to === 'string') return { kind: 'channel', channel: to };
    const others = to.map((name) => this.model.find(name));
    if (!others.every((other) => other !== undefined)) return 'AgentNotFound';
    // A group of oneself is none.
    if (others.every((other) => other === sender)) return 'InvalidRequest';
    return { kind: 'direct', among: [...new Set([sender, ...others])] };
  }

  async #say(
    { somebody, participant }: Seat,
    place: Place | ErrorCode,
    message: OperationInput<'SEND'>,
    thread?: string,
  ): Promise<void> {
    const refusal = typeof place === 'string' ? place : undefined;
    const sent = await outcome(participant.request('SEND', message), refusal);
    if (typeof place === 'string' || !sent) return;
    const { content, expiresAt } = message;
    const { unverified } = participant.principal;
    const id = sent.messageId;
    this.model.say({ id, sender: somebody, unverified, place, text: content, thread, expiresAt });
    expect(sent.recipients, 'how many get it').toBe(this.model.said.at(-1)?.recipients.size);
  }

  /** Every channel, with `#general`. */
  get channels(): string[] {
    return [GENERAL, ...CHANNELS];
  }
}

/** The result of a request, which must be refused with the code if there is one. */
export async function outcome<T>(
  request: Promise<T>,
  refusal: ErrorCode | undefined,
): Promise<T | undefined> {
  const result = await request.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in result) {
    expect('granted', `refused with ${refusal ?? 'nothing'}`).toBe(refusal ?? 'granted');
    return result.value;
  }
  if (!isRelayError(result.error, refusal) || refusal === undefined) throw result.error;
  return undefined;
}
