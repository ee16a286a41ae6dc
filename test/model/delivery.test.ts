import { CLAIMING_PATHS, type ClaimingPath } from '@agent-relay/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Workspace } from '../../packages/relay/src/core/ports/store/workspaces.ts';
import { openCore, type Participant, type TestCore } from '../kit/core.ts';

/** A new one each time; `MODEL_SEED` repeats a run. */
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
const RUN_MS = Number(process.env.MODEL_MS ?? 8_000) / 2;

const HOSTS = 3;
const host = fc.nat(HOSTS - 1);
const STEP = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('send' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('come' as const),
      host,
      path: fc.constantFrom(...CLAIMING_PATHS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), host }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reconnect' as const), host }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('claim' as const), host, limit: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('claimTogether' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('inject' as const), host }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refuse' as const), host }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('doubt' as const), host }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('lie' as const), host, message: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pull' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('programComes' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('programTakes' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('programLeaves' as const) }) },
);
const STEP_OR_RESTART = fc.oneof(
  { weight: 45, arbitrary: STEP },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);
type Step = typeof STEP_OR_RESTART extends fc.Arbitrary<infer T> ? T : never;
const gameOf = (step: fc.Arbitrary<Step>) =>
  fc.noBias(fc.array(step, { minLength: 40, maxLength: 80, size: 'max' }));
/** Restarts take most of the time, so most games have none. */
const GAME = gameOf(STEP);
const GAME_WITH_RESTARTS = gameOf(STEP_OR_RESTART);
const GAMES_FOR_ONE_WITH_RESTARTS = 12;

interface Host {
  participant: Participant;
  path: ClaimingPath;
  receiver: string;
  /** Claimed, and not reported on. */
  inHand: string[];
}

/** Sender and agent as they are connected now; their connections end with the daemon. */
class People {
  readonly #core: TestCore;
  readonly #workspace: Workspace;
  readonly #tokens = new Map<string, string>();
  #present = new Map<string, Participant>();

  constructor(core: TestCore, workspace: Workspace) {
    this.#core = core;
    this.#workspace = workspace;
  }

  async get(name: 'Alice' | 'Bob'): Promise<Participant> {
    const present = this.#present.get(name);
    if (present) return present;
    const token = this.#tokens.get(name);
    const participant = await this.#core.join(this.#workspace, name, token === undefined ? {} : { token });
    this.#tokens.set(name, participant.token);
    this.#present.set(name, participant);
    await participant.request('RECEIVE', { paths: [] });
    return participant;
  }

  forget(): void {
    this.#present = new Map();
  }

  leave(): void {
    for (const participant of this.#present.values()) participant.disconnect();
  }
}

/** One agent with terminals, hooks and programs that come, go, claim, crash and lie; each of them shows it messages. */
class Game {
  readonly #core: TestCore;
  readonly #people: People;
  #hosts: Array<Host | undefined> = [];
  #program: Participant | undefined;
  /** A host that is started again does not know what it did before: it is another receiver. */
  #starts = 0;
  readonly sent: string[] = [];
  /** What was put into the agent's context: each message at most once. */
  readonly shown: string[] = [];
  /** What a host may have shown when it ended. */
  readonly doubtful = new Set<string>();

  constructor(core: TestCore, people: People) {
    this.#core = core;
    this.#people = people;
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'send': {
        const { messageId } = await (await this.#people.get('Alice')).send(
          'Bob',
          `message ${this.sent.length}`,
        );
        this.sent.push(messageId);
        return;
      }
      case 'come':
        return await this.#come(step.host, step.path);
      case 'crash':
        return this.#crash(step.host);
      case 'reconnect':
        return await this.#reconnect(step.host);
      case 'claim':
        return await this.#claim(step.host, step.limit);
      case 'claimTogether':
        await Promise.all(this.#hosts.map((_, at) => this.#claim(at, 2)));
        return;
      case 'inject':
        return await this.#report(step.host, 'injected');
      case 'refuse':
        return await this.#report(step.host, 'refused');
      case 'doubt':
        return await this.#report(step.host, 'uncertain');
      case 'lie':
        return await this.#lie(step.host, step.message);
      case 'pull':
        return await this.#pull();
      case 'programComes':
        this.#program ??= (await this.#people.get('Bob')).again();
        return await this.#program.listening();
      case 'programTakes':
        return await this.#programTakes();
      case 'programLeaves':
        this.#program?.disconnect();
        this.#program = undefined;
        return;
      case 'restart':
        for (let at = 0; at < HOSTS; at++) this.#crash(at);
        this.#program = undefined;
        this.#people.forget();
        await this.#core.restart();
    }
  }

  async #come(at: number, path: ClaimingPath): Promise<void> {
    if (this.#hosts[at]) return;
    const receiver = `host-${++this.#starts}`;
    const participant = (await this.#people.get('Bob')).again({ paths: [path], receiver });
    this.#hosts[at] = { participant, path, receiver, inHand: [] };
  }

  /** It connects again and knows what it has claimed, before the end of the old connection is noticed. */
  async #reconnect(at: number): Promise<void> {
    const host = this.#hosts[at];
    if (!host) return;
    const { path, receiver, participant: old } = host;
    host.participant = (await this.#people.get('Bob')).again({ paths: [path], receiver });
    old.disconnect();
  }

  /** It may or may not have shown what it claimed; here it has, the worst case for a second delivery. */
  #crash(at: number): void {
    const host = this.#hosts[at];
    if (!host) return;
    host.participant.disconnect();
    this.#hosts[at] = undefined;
    for (const id of host.inHand) this.#show(id);
    for (const id of host.inHand) this.doubtful.add(id);
  }

  async #claim(at: number, limit: number): Promise<void> {
    const host = this.#hosts[at];
    if (!host) return;
    const { messages } = await host.participant.request('CLAIM', { path: host.path, limit });
    host.inHand = [...new Set([...host.inHand, ...messages.map(({ id }) => id)])];
  }

  async #report(at: number, state: 'injected' | 'refused' | 'uncertain'): Promise<void> {
    const host = this.#hosts[at];
    const [id] = host?.inHand ?? [];
    if (!host || id === undefined) return;
    if (state !== 'refused') this.#show(id);
    if (state === 'uncertain') this.doubtful.add(id);
    host.inHand = host.inHand.filter((other) => other !== id);
    await host.participant.request('REPORT', { path: host.path, messages: [id], state });
  }

  /** Says what is not so of a message: it must not make another path show it, nor keep one from doing so. */
  async #lie(at: number, message: number): Promise<void> {
    const host = this.#hosts[at];
    const id = this.sent[message % this.sent.length];
    if (!host || id === undefined || host.inHand.includes(id)) return;
    const say = (state: 'refused' | 'injected') =>
      host.participant.request('REPORT', { path: host.path, messages: [id], state });
    const isInHand = this.#hosts.some((other) => other?.inHand.includes(id));
    if (isInHand) await expect(say('refused')).rejects.toMatchObject({ code: 'NotClaimed' });
    else if (!this.shown.includes(id))
      await expect(say('injected')).rejects.toMatchObject({ code: 'NotClaimed' });
    else if (!this.doubtful.has(id)) expect(await changedBy(say('refused'))).toBe(0);
  }

  /** An agent that is a program, and gets its messages pushed, does not read its inbox as well. */
  async #pull(): Promise<void> {
    if (this.#program) return;
    const agent = await this.#people.get('Bob');
    const { messages } = await agent.request('INBOX', { limit: 3, take: true });
    // Terminals and hooks may try at this very moment.
    await Promise.all(this.#hosts.map((_, at) => this.#claim(at, 2)));
    for (const { id } of messages) this.#show(id, { isPulled: true });
    if (messages.length > 0)
      await agent.request('ACK', { messages: messages.map(({ id }) => id), state: 'read', path: 'pull' });
  }

  /** A program shows what it gets when it accepts it. */
  async #programTakes(): Promise<void> {
    const program = this.#program;
    if (!program) return;
    await program.listening();
    const given = program.delivered.splice(0);
    for (const { id } of given) this.#show(id);
    const last = given.at(-1);
    if (!last) return;
    await program.request('ACK', { upTo: last.seq });
    await program.request('ACK', { messages: given.map(({ id }) => id), state: 'read' });
  }

  /** An agent that pulls may see uncertain messages again: that settles them. */
  #show(id: string, { isPulled = false } = {}): void {
    if (isPulled && this.doubtful.has(id)) return;
    this.shown.push(id);
  }

  async check(): Promise<void> {
    expect(this.shown, 'shown twice').toEqual([...new Set(this.shown)]);
    const agent = await this.#people.get('Bob');
    const inHand = new Set(this.#hosts.flatMap((host) => host?.inHand ?? []));
    const withProgram = new Set(this.#program?.delivered.map(({ id }) => id));
    const { messages } = await agent.request('INBOX', { limit: 500 });
    const inInbox = new Set(messages.map(({ id }) => id));
    const lost = this.sent.filter(
      (id) => !this.shown.includes(id) && !inHand.has(id) && !inInbox.has(id) && !withProgram.has(id),
    );
    expect(lost, 'lost').toEqual([]);
  }

  /** When all the others have left, the next host gets everything that the agent has not seen. */
  async end(): Promise<void> {
    for (let at = 0; at < HOSTS; at++) this.#crash(at);
    this.#program?.disconnect();
    this.#program = undefined;
    await this.#come(0, 'pty');
    do {
      await this.#claim(0, 16);
      await this.#report(0, 'injected');
    } while (this.#hosts[0]?.inHand.length);
    const left = this.sent.filter((id) => !this.shown.includes(id));
    expect(left, 'shown to nobody in the end').toEqual([]);
    this.#hosts[0]?.participant.disconnect();
  }
}

/** How many messages a report changed; none if it was not allowed. */
const changedBy = (report: Promise<{ changed: number }>): Promise<number> =>
  report.then(
    ({ changed }) => changed,
    (error) => {
      expect(error).toMatchObject({ code: 'NotClaimed' });
      return 0;
    },
  );

describe(`whoever delivers to an agent, and however they end (seed ${SEED})`, () => {
  let core: TestCore;
  beforeAll(async () => {
    core = await openCore({ governor: { enabled: false, emptyTurns: 1, maxTurns: 1, windowMs: 1 } });
  });
  afterAll(() => core[Symbol.asyncDispose]());

  async function play(steps: Step[]): Promise<void> {
    const workspace = await core.newWorkspace();
    const people = new People(core, workspace);
    await people.get('Bob');
    const game = new Game(core, people);
    for (const step of steps) await game.take(step);
    await game.check();
    await game.end();
    people.leave();
  }

  it(
    'every message is shown to the agent exactly once',
    async () => {
      const startedAt = performance.now();
      const hasPassed = (ms: number) => performance.now() - startedAt > ms;
      const played = (steps: fc.Arbitrary<Step[]>) =>
        fc.asyncProperty(steps, async (taken) => {
          if (!hasPassed(4 * RUN_MS)) await play(taken);
        });
      for (let at = 0; at < GAMES_FOR_ONE_WITH_RESTARTS || !hasPassed(RUN_MS); at++) {
        const isRestarted = at % GAMES_FOR_ONE_WITH_RESTARTS === GAMES_FOR_ONE_WITH_RESTARTS - 1;
        const steps = isRestarted ? GAME_WITH_RESTARTS : GAME;
        await fc.assert(played(steps), { seed: SEED + at, numRuns: 1 });
      }
    },
    6 * RUN_MS,
  );
});
