import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

const WINDOW_MS = 600_000;

let core: TestCore;
let workspace: Workspace;
let alice: Participant;
let bob: Participant;

beforeAll(async () => {
  core = await openCore({
    governor: { enabled: true, emptyTurns: 6, maxTurns: 40, windowMs: WINDOW_MS },
  });
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
});

const COURTESIES = [
  'Thanks, great work!',
  'You are welcome, happy to help!',
  'Perfect. Let me know if you need anything else.',
  'Sure, will do. Thank you again!',
  'Sounds good. Standing by.',
  'Acknowledged. Ready when you are.',
  'Great collaboration, talk soon!',
  'Likewise, have a good one!',
];

/** Lets agents answer each other around; returns the number of the first turn that was held, undefined if none was. */
async function exchange(
  ring: Participant[],
  turns: number,
  text: (turn: number) => string,
): Promise<number | undefined> {
  for (let turn = 0; turn < turns; turn++) {
    const sender = ring[turn % ring.length] as Participant;
    const receiver = ring[(turn + 1) % ring.length] as Participant;
    const { held } = await sender.send(receiver.name, text(turn));
    if (held !== undefined) return turn;
  }
  return undefined;
}

const politely = (turn: number) => COURTESIES[turn % COURTESIES.length] ?? '';
const review = (turn: number) =>
  turn % 2 === 0
    ? `Comment ${turn}: function handler${turn} in module${turn}.ts ignores the failure case${turn}.`
    : `Fixed in commit${turn}: handler${turn - 1} now retries and logs path${turn}.`;

describe('the loop governor', () => {
  it('leaves a review of 30 turns alone, with thanks in between', async () => {
    const held = await exchange([alice, bob], 30, (turn) =>
      turn % 7 === 6 ? 'Thanks, that helps.' : review(turn),
    );
    expect(held).toBeUndefined();
  });

  it('holds an exchange of courtesies between two agents', async () => {
    await alice.send('Bob', 'The build of release 7 is done, artifacts are in dist.');
    expect(await exchange([bob, alice], 40, politely)).toBe(5);
  });

  it('holds an exchange of courtesies in a cycle of three agents', async () => {
    const carol = await core.join(workspace, 'Carol');
    const held = await exchange([alice, bob, carol], 40, politely);
    expect(held).toBeLessThanOrEqual(8);
  });

  it('holds courtesies in a channel and in a group', async () => {
    const carol = await core.join(workspace, 'Carol');
    for (const to of ['#general', ['Alice', 'Bob', 'Carol']]) {
      const outcomes: boolean[] = [];
      for (let turn = 0; turn < 12; turn++) {
        const sender = [alice, bob, carol][turn % 3] as Participant;
        outcomes.push((await sender.send(to, politely(turn))).held !== undefined);
      }
      expect(outcomes.slice(0, 5)).toEqual(Array(5).fill(false));
      expect(outcomes.at(-1)).toBe(true);
      core.clock.advance(WINDOW_MS + 1);
    }
  });

  it('recognises repeated words', async () => {
    expect(await exchange([alice, bob], 40, () => 'Deploying build 4711 to staging now')).toBeLessThan(8);
  });

  it('allows a worker to repeat the same report without an answer', async () => {
    for (let i = 0; i < 50; i++) {
      const { held } = await bob.send('Alice', 'Still working on it.', { kind: 'status' });
      expect(held).toBeUndefined();
    }
  });

  it('asks a person to look at a very long exchange, even with new content', async () => {
    expect(await exchange([alice, bob], 60, review)).toBe(40);
  });

  it('never holds a person, and starts over after a person writes', async () => {
    const ann = await core.join(workspace, 'Ann', { type: 'human' });
    expect(await exchange([ann, alice], 40, politely)).toBeUndefined();
    expect(await exchange([bob, alice], 5, politely)).toBeUndefined();
    await ann.send('Alice', 'Go on, please.');
    await ann.send('Bob', 'Go on, please.');
    expect(await exchange([bob, alice], 5, politely)).toBeUndefined();
  });

  it('ends an exchange after a pause', async () => {
    expect(await exchange([alice, bob], 40, politely)).toBeDefined();
    core.clock.advance(WINDOW_MS + 1);
    expect(await exchange([alice, bob], 4, politely)).toBeUndefined();
  });

  it.each([-3_600_000, 3_600_000])('is not affected when the clock is set by %i ms', async (ms) => {
    expect(await exchange([alice, bob], 40, politely)).toBeDefined();
    core.clock.set(ms);
    expect(await exchange([alice, bob], 1, politely)).toBe(0);
    core.clock.advance(WINDOW_MS + 1);
    expect(await exchange([alice, bob], 4, politely)).toBeUndefined();
  });

  it('still lets an agent whose exchange is held ask a person', async () => {
    const ann = await core.join(workspace, 'Ann', { type: 'human' });
    const turn = (await exchange([alice, bob], 40, politely)) ?? 0;
    const muted = [alice, bob][turn % 2] as Participant;
    const question = await muted.send('Ann', 'Should I go on?', { kind: 'question' });
    expect(question.held).toBeUndefined();
    expect(ann.delivered).toMatchObject([{ content: 'Should I go on?' }]);
  });

  it('does not hold messages outside the loop', async () => {
    await exchange([alice, bob], 40, politely);
    const carol = await core.join(workspace, 'Carol');
    const dave = await core.join(workspace, 'Dave');
    expect((await carol.send('Dave', 'Morning.')).held).toBeUndefined();
    expect((await dave.send('Carol', 'Morning.')).held).toBeUndefined();
    // A new task from elsewhere is a new exchange, for those who were held too.
    await carol.send('Alice', 'Please review module parser.ts of the compiler.');
    expect((await alice.send('Carol', 'On it.')).held).toBeUndefined();
  });

  it('holds all messages of the exchange, new or not, until a person releases it', async () => {
    const turn = (await exchange([alice, bob], 40, politely)) ?? 0;
    const [muted, other] = (turn % 2 === 0 ? [alice, bob] : [bob, alice]) as [Participant, Participant];
    const news = 'By the way: the parser of module7 fails on empty input.';
    const held = await muted.send(other.name, news);
    expect(held.held).toBeDefined();
    expect((await other.send(muted.name, news)).held).toBeDefined();
    // Not even a word from elsewhere, which begins an exchange of its own, lets this one go on.
    const carol = await core.join(workspace, 'Carol');
    await carol.send(muted.name, 'Please review the compiler.');
    expect((await muted.send(other.name, 'Thanks!')).held).toBeDefined();
    await core.owner(workspace).request('HELD_RELEASE', { ids: [held.messageId] });
    expect((await other.send(muted.name, 'Thanks!')).held).toBeUndefined();
  });

  it('lets an agent whose exchange is held send news to others, but no courtesies', async () => {
    const turn = (await exchange([alice, bob], 40, politely)) ?? 0;
    const muted = [alice, bob][turn % 2] as Participant;
    const carol = await core.join(workspace, 'Carol');
    expect((await muted.send('Carol', 'Thank you!')).held).toBeDefined();
    expect((await muted.send('Carol', 'The parser fails on empty input.')).held).toBeUndefined();
    expect((await carol.send(muted.name, 'I will fix it.')).held).toBeUndefined();
    expect((await muted.send('Carol', 'Thank you!')).held).toBeUndefined();
  });

  it('does not hold work that was assigned before the loop began', async () => {
    const carol = await core.join(workspace, 'Carol');
    await bob.send('Alice', 'The parser fails on empty input.');
    await alice.send('Carol', 'Please repair the parser of module7.');
    await alice.send('Bob', 'Carol repairs it, release 8 will have the correction.');
    expect(await exchange([bob, alice], 40, politely)).toBeDefined();
    expect((await carol.send('Alice', 'Repaired in commit4711.')).held).toBeUndefined();
  });

  it('can be switched off', async () => {
    await using free = await openCore({
      governor: { enabled: false, emptyTurns: 6, maxTurns: 40, windowMs: WINDOW_MS },
    });
    const place = await free.newWorkspace();
    const ring = [await free.join(place, 'Alice'), await free.join(place, 'Bob')];
    expect(await exchange(ring, 100, politely)).toBeUndefined();
  });
});
