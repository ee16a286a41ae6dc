import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '../kit/eventually.ts';
import type { ScriptedModel } from './scripted-model.ts';
import type { Sender } from './sender.ts';

/** So many messages are on their way at most, so that some are in every state when something is killed. */
const AHEAD = 6;
/** After a daemon was killed, a host has told the next one what it knows within this time. */
const TOLD_MS = 10_000;
const DEADLINE_MS = 60_000;

type Request = ScriptedModel['requests'][number];

/** What was sent to one agent, in order, and kept outside the relay; beside it, what the models of its CLI received. */
export class Ledger {
  readonly #sender: Sender;
  readonly #agent: string;
  readonly #ids: string[] = [];
  readonly #models: ScriptedModel[] = [];
  readonly #found = new WeakMap<Request, string[]>();
  #uncertain = new Set<string>();

  constructor(sender: Sender, agent: string) {
    this.#sender = sender;
    this.#agent = agent;
  }

  /** From now on the agent has this model. */
  follow(model: ScriptedModel): void {
    this.#models.push(model);
  }

  /** Sends so many messages, and waits until it is known of each what became of it. */
  async send(count: number, onSent: (number: number) => void): Promise<void> {
    for (let number = 1; number <= count; number++) {
      if (number > AHEAD) await this.#settled(number - AHEAD);
      const { id } = await this.#sender.send(this.#agent, `This is number ${number}.`);
      this.#ids.push(id);
      onSent(number);
    }
    for (let number = Math.max(1, count - AHEAD); number <= count; number++) await this.#settled(number);
  }

  /** To be called when nothing is killed any more: what has become of all of them. */
  async close(): Promise<void> {
    const deadline = performance.now() + TOLD_MS;
    do {
      const states = new Map<string, string>();
      for (const id of this.#ids) states.set(id, (await this.#sender.untilInjected(id)).state);
      this.#uncertain = new Set(this.#ids.filter((id) => states.get(id) === 'uncertain'));
    } while (this.#uncertain.size > 0 && performance.now() < deadline && (await setTimeout(500, true)));
    // A message is in the agent's context a moment before its model is asked.
    await eventually(() => {
      const received = new Set(this.#requests().flat());
      return this.#ids.every((id) => received.has(id) || this.#uncertain.has(id));
    }, DEADLINE_MS);
  }

  get uncertain(): number {
    return this.#uncertain.size;
  }

  /** No request to a model has a message twice, or two in another order than they were sent. */
  assertOnceInOrder(): void {
    const places = new Map(this.#ids.map((id, place) => [id, place]));
    for (const request of this.#requests()) {
      const found = request.map((id) => places.get(id) ?? -1);
      const wanted = [...new Set(found)].sort((one, other) => one - other);
      assert.deepEqual(found, wanted, 'a message came twice, or not in order');
    }
  }

  /** The newest request to a model has all of them. */
  assertAllReceived(): void {
    assert.equal(this.uncertain, 0, 'messages are uncertain');
    assert.deepEqual(this.#requests().at(-1), this.#ids, 'messages are lost');
  }

  async #settled(number: number): Promise<void> {
    const id = this.#ids[number - 1] ?? '';
    try {
      await this.#sender.untilInjected(id);
    } catch (cause) {
      const reason = await this.#sender.reasonOf(id);
      throw new Error(`number ${number} of ${this.#ids.length} waits: ${reason}`, { cause });
    }
  }

  /** The messages in each request, in the order of its text. */
  #requests(): string[][] {
    return this.#models
      .flatMap(({ requests }) => requests)
      .filter(({ tools }) => tools.length > 0)
      .map((request) => {
        const known = this.#found.get(request) ?? messagesIn(request);
        this.#found.set(request, known);
        return known;
      });
  }
}

const messagesIn = ({ turns }: Request): string[] =>
  turns
    .filter(({ kind }) => kind === 'user')
    .flatMap(({ text }) => [...text.matchAll(/\[(msg_\w+)\]/g)].map(([, id = '']) => id));
