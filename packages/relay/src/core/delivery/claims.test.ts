import { type OperationInput, type ReasonCode, reason } from '@agent-relay/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';

let core: TestCore;
let alice: Participant;
/** Another connection of Bob, which delivers nothing. */
let bob: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  const workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  bob = await core.join(workspace, 'Bob');
  await bob.request('RECEIVE', { paths: [] });
});

type Path = OperationInput<'CLAIM'>['path'];
const host = (receiver: string, ...paths: Path[]) => bob.again({ paths, receiver });
const claim = async (by: Participant, path: Path, limit?: number) =>
  (await by.request('CLAIM', { path, ...(limit === undefined ? {} : { limit }) })).messages.map(
    ({ content }) => content,
  );
const report = (
  by: Participant,
  path: Path,
  message: { messageId: string },
  state: 'injected' | 'turn_started' | 'refused' | 'uncertain',
) => by.request('REPORT', { path, messages: [message.messageId], state });
const traceOf = async ({ messageId }: { messageId: string }) =>
  (await alice.request('TRACE', { id: messageId })).deliveries[0];
const told = (participant: Participant) =>
  participant.events.filter(({ type }) => type === 'mail.claimable').length;

describe('a claim', () => {
  it('is granted to one path, oldest first', async () => {
    const pty = host('terminal', 'pty');
    const hook = host('hook', 'hook');
    for (const text of ['one', 'two', 'three']) await alice.send('Bob', text);
    const claims = await Promise.all([claim(pty, 'pty', 2), claim(hook, 'hook', 2)]);
    expect(claims.flat().sort()).toEqual(['one', 'three', 'two']);
    expect(claims[0]).toEqual(['one', 'two']);
  });

  it('needs a path that the connection has', async () => {
    await expect(claim(bob, 'pty')).rejects.toMatchObject({ code: 'InvalidRequest' });
    await expect(claim(host('hook', 'hook'), 'pty')).rejects.toMatchObject({ code: 'InvalidRequest' });
  });

  it('without a report is granted again to its receiver, also on a new connection', async () => {
    const before = host('terminal', 'pty');
    const sent = await alice.send('Bob', 'one');
    await claim(before, 'pty');
    before.disconnect();
    await alice.send('Bob', 'two');
    const back = host('terminal', 'pty');
    expect(await claim(back, 'pty')).toEqual(['one', 'two']);
    await report(back, 'pty', sent, 'injected');
    expect(await claim(back, 'pty')).toEqual(['two']);
  });

  it('is refused for what was read, and for what the agent is reading', async () => {
    const pty = host('terminal', 'pty');
    await alice.send('Bob', 'one');
    const { messages } = await bob.request('INBOX', { take: true });
    expect(await claim(pty, 'pty')).toEqual([]);
    await bob.request('ACK', { messages: messages.map(({ id }) => id), state: 'read', path: 'pull' });
    expect(await claim(pty, 'pty')).toEqual([]);
  });

  it('is granted if the agent never said that it read what it saw', async () => {
    const pty = host('terminal', 'pty');
    await alice.send('Bob', 'one');
    await bob.request('INBOX', { take: true });
    expect(await claim(pty, 'pty')).toEqual([]);
    const before = told(pty);
    core.clock.advance(30_000);
    expect(told(pty)).toBe(before + 1);
    expect(await claim(pty, 'pty')).toEqual(['one']);
  });

  it.each([-3_600_000, 3_600_000])('is not affected when the clock is set by %i ms', async (ms) => {
    const pty = host('terminal', 'pty');
    await alice.send('Bob', 'one');
    await bob.request('INBOX', { take: true });
    core.clock.set(ms);
    expect(await claim(pty, 'pty')).toEqual([]);
    core.clock.advance(30_000);
    expect(await claim(pty, 'pty')).toEqual(['one']);
  });

  it('hides a message from the inbox while its path is delivering it, and not after that disconnects', async () => {
    const pty = host('terminal', 'pty');
    await alice.send('Bob', 'one');
    await claim(pty, 'pty');
    expect(await bob.request('INBOX', {})).toEqual({ messages: [], unread: 0 });
    pty.disconnect();
    expect(await bob.request('INBOX', {})).toMatchObject({ messages: [{ content: 'one' }], unread: 1 });
  });

  it('skips messages that a program already has', async () => {
    const program = bob.again();
    await program.listening();
    await alice.send('Bob', 'pushed');
    const pty = host('terminal', 'pty');
    await alice.send('Bob', 'claimed');
    expect(await claim(pty, 'pty')).toEqual(['claimed']);
    expect(program.delivered.map(({ content }) => content)).toEqual(['pushed']);
    program.disconnect();
    expect(await claim(pty, 'pty')).toEqual(
      ['claimed', 'pushed'].toSorted((one) => (one === 'pushed' ? 1 : -1)),
    );
  });
});

describe('what a path reports', () => {
  it('changes the state of the message, and removes it from the unread ones', async () => {
    const pty = host('terminal', 'pty');
    const sent = await alice.send('Bob', 'one');
    await claim(pty, 'pty');
    expect(await traceOf(sent)).toMatchObject({
      state: 'accepted',
      path: 'pty',
      reason: { code: 'claimed' },
    });
    await report(pty, 'pty', sent, 'injected');
    expect(await traceOf(sent)).toMatchObject({ state: 'injected', path: 'pty' });
    expect(await traceOf(sent)).not.toHaveProperty('reason');
    expect(await bob.request('INBOX', {})).toEqual({ messages: [], unread: 0 });
    await report(pty, 'pty', sent, 'turn_started');
    expect((await traceOf(sent))?.transitions.map(({ state, path }) => [state, path])).toEqual([
      ['stored', undefined],
      ['accepted', 'pty'],
      ['injected', 'pty'],
      ['turn_started', 'pty'],
    ]);
  });

  it('is refused for a message that nobody claimed, or that is not for the agent', async () => {
    const pty = host('terminal', 'pty');
    const sent = await alice.send('Bob', 'one');
    for (const state of ['injected', 'turn_started', 'refused', 'uncertain'] as const)
      await expect(report(pty, 'pty', sent, state)).rejects.toMatchObject({ code: 'NotClaimed' });
    const own = await alice.send('Alice', 'to myself');
    await expect(report(pty, 'pty', own, 'injected')).rejects.toMatchObject({ code: 'MessageNotFound' });
  });

  it('gives a refused message to the next path, in order, and never to the same one again', async () => {
    const native = host('api', 'native');
    const pty = host('terminal', 'pty');
    const first = await alice.send('Bob', 'one');
    await alice.send('Bob', 'two');
    expect(await claim(native, 'native', 1)).toEqual(['one']);
    const before = told(pty);
    await report(native, 'native', first, 'refused');
    expect(told(pty)).toBeGreaterThan(before);
    expect(await claim(native, 'native')).toEqual([]);
    expect(await claim(pty, 'pty', 1)).toEqual(['one']);
    expect(await claim(native, 'native')).toEqual(['two']);
  });

  it('leaves a message that all paths refused in the inbox, and goes on with the next', async () => {
    const native = host('api', 'native');
    const pty = host('terminal', 'pty');
    const first = await alice.send('Bob', 'one');
    await alice.send('Bob', 'two');
    for (const [by, path] of [
      [native, 'native'],
      [pty, 'pty'],
    ] as const) {
      await claim(by, path, 1);
      await report(by, path, first, 'refused');
    }
    expect(await traceOf(first)).toMatchObject({ state: 'stored', reason: { code: 'refused' } });
    expect(await claim(native, 'native')).toEqual(['two']);
    expect(await bob.request('INBOX', {})).toMatchObject({ messages: [{ content: 'one' }] });
  });

  it('leaves as many refused messages behind as there are', async () => {
    const pty = host('terminal', 'pty');
    for (const text of ['one', 'two']) {
      const sent = await alice.send('Bob', text);
      expect(await claim(pty, 'pty', 1)).toEqual([text]);
      await report(pty, 'pty', sent, 'refused');
    }
    await alice.send('Bob', 'three');
    expect(await claim(pty, 'pty', 1)).toEqual(['three']);
  });

  it('returns a message that programs have passed meanwhile, and the next path gets it', async () => {
    const pty = host('terminal', 'pty');
    const first = await alice.send('Bob', 'one');
    expect(await claim(pty, 'pty')).toEqual(['one']);
    const program = bob.again();
    await program.request('RECEIVE', { paths: ['push'] });
    pty.disconnect();
    const second = await alice.send('Bob', 'two');
    await expect.poll(() => program.delivered.map(({ content }) => content)).toEqual(['two']);
    await program.request('ACK', { upTo: program.delivered[0]?.seq ?? 0 });
    const hook = host('hook', 'hook');
    await report(hook, 'hook', first, 'refused');
    expect(await traceOf(first)).toMatchObject({ state: 'stored' });
    expect(await traceOf(second)).toMatchObject({ state: 'accepted', path: 'push' });
    expect(await claim(hook, 'hook')).toEqual([]);
    const back = host('terminal', 'pty');
    expect(await claim(back, 'pty')).toEqual(['one']);
    await report(back, 'pty', first, 'injected');
    await alice.send('Bob', 'three');
    expect(await claim(back, 'pty')).toEqual(['three']);
  });

  it('cannot return what another path is delivering', async () => {
    const pty = host('terminal', 'pty');
    const hook = host('hook', 'hook');
    const sent = await alice.send('Bob', 'one');
    await claim(pty, 'pty');
    await expect(report(hook, 'hook', sent, 'refused')).rejects.toMatchObject({ code: 'NotClaimed' });
    pty.disconnect();
    expect(await report(hook, 'hook', sent, 'refused')).toEqual({ changed: 1 });
  });
});

describe('an uncertain message', () => {
  it('is one whose path disconnected during delivery: it is not retried', async () => {
    const pty = host('terminal', 'pty');
    const sent = await alice.send('Bob', 'one');
    await claim(pty, 'pty');
    pty.disconnect();
    expect(await traceOf(sent)).toMatchObject({ state: 'uncertain', reason: { code: 'path_gone' } });
    const hook = host('hook', 'hook');
    expect(await claim(hook, 'hook')).toEqual([]);
    const program = bob.again();
    await program.listening();
    expect(program.delivered).toEqual([]);
    await bob.request('ACK', { messages: [sent.messageId], state: 'read' });
    expect(await traceOf(sent)).toMatchObject({ state: 'read' });
  });

  it('is reported to its sender and the owner once, when its path disconnects', async () => {
    const { workspace } = alice.principal;
    const owner = core.owner(workspace).connect();
    const carol = await core.join(workspace, 'Carol');
    for (const observer of [alice, owner, carol]) await observer.request('WATCH', {});
    const pty = host('terminal', 'pty');
    const done = await alice.send('Bob', 'one');
    const known = await alice.send('Bob', 'two');
    const begun = await alice.send('Bob', 'three');
    await claim(pty, 'pty');
    const free = await alice.send('Bob', 'four');
    await report(pty, 'pty', known, 'uncertain');
    // It is gone before it is answered.
    const reported = report(pty, 'pty', done, 'injected');
    pty.disconnect();
    await reported;
    expect(await traceOf(free)).toMatchObject({ state: 'stored' });
    await core.relay.claims.settled();
    const toldOf = (participant: Participant) =>
      participant.events.filter(
        (event) => event.type === 'delivery.uncertain' && event.reason?.code === 'path_gone',
      );
    const event = { type: 'delivery.uncertain', messageId: begun.messageId, agent: 'Bob', path: 'pty' };
    for (const observer of [alice, owner])
      expect(toldOf(observer)).toEqual([{ ...event, reason: reason('path_gone') }]);
    expect(toldOf(carol)).toEqual([]);
  });

  it('is not reported if its path reconnects at once', async () => {
    await alice.request('WATCH', {});
    const before = host('terminal', 'pty');
    await alice.send('Bob', 'one');
    await claim(before, 'pty');
    before.disconnect();
    const back = host('terminal', 'pty');
    host('terminal', 'pty');
    back.disconnect();
    await core.relay.claims.settled();
    expect(alice.events.map(({ type }) => type)).not.toContain('delivery.uncertain');
  });

  it('is one whose path cannot confirm delivery; it may confirm later', async () => {
    const pty = host('terminal', 'pty');
    const sent = await alice.send('Bob', 'one');
    await claim(pty, 'pty');
    await report(pty, 'pty', sent, 'uncertain');
    expect(await traceOf(sent)).toMatchObject({ state: 'uncertain', reason: { code: 'unconfirmed' } });
    expect(await claim(pty, 'pty')).toEqual([]);
    await report(pty, 'pty', sent, 'turn_started');
    expect(await traceOf(sent)).toMatchObject({ state: 'turn_started' });
  });

  it('stays uncertain when daemon and path end together', async () => {
    const pty = host('terminal', 'pty');
    const sent = await alice.send('Bob', 'one');
    await claim(pty, 'pty');
    const { workspace } = alice.principal;
    await core.restart();
    const owner = core.owner(workspace);
    const { deliveries } = await owner.request('TRACE', { id: sent.messageId });
    expect(deliveries).toMatchObject([{ state: 'uncertain', reason: { code: 'path_gone' } }]);
  });
});

describe('the path in use', () => {
  it('is the best one connected; the others take over when it disconnects', async () => {
    const pty = host('terminal', 'pty');
    const native = host('api', 'native', 'pty');
    const paths = async () =>
      (await alice.request('WHO', {})).agents
        .find(({ name }) => name === 'Bob')
        ?.paths.map(({ path, inUse }) => [path, inUse]);
    expect(await paths()).toEqual([
      ['native', true],
      ['pty', false],
      ['pty', false],
    ]);
    const before = told(pty);
    await alice.send('Bob', 'one');
    expect(told(pty)).toBe(before);
    native.disconnect();
    expect(told(pty)).toBe(before + 1);
    expect(await paths()).toEqual([['pty', true]]);
  });

  it.each([
    ['hook', 'no_hook'],
    ['native', 'no_interface'],
  ] as const)(
    'is the next one of a program while its %s does not work (%s), and says what a message waits for',
    async (best, code) => {
      const both = host('terminal', best, 'pty');
      await both.request('REPORT', { path: best, state: 'waits', reason: { code } });
      await both.request('REPORT', { path: 'pty', state: 'waits', reason: { code: 'draft' } });
      const bobs = (await alice.request('WHO', {})).agents.find(({ name }) => name === 'Bob');
      expect(bobs?.paths.map(({ path, inUse }) => [path, inUse])).toEqual([
        [best, false],
        ['pty', true],
      ]);
      const { messageId } = await alice.send('Bob', 'one');
      const { deliveries } = await alice.request('TRACE', { id: messageId });
      expect(deliveries).toMatchObject([{ path: 'pty', reason: { code: 'draft' } }]);
      await both.request('REPORT', { path: best, state: 'waits', reason: { code: 'busy' } });
      const again = await alice.request('TRACE', { id: messageId });
      expect(again.deliveries).toMatchObject([{ path: best, reason: { code: 'busy' } }]);
    },
  );

  it('is starting until its program says what state it is in', async () => {
    await alice.request('WATCH', {});
    const both = host('terminal', 'native', 'pty');
    const starting = { state: 'waits', reason: reason('starting') } as const;
    const bobs = (await alice.request('WHO', {})).agents.find(({ name }) => name === 'Bob');
    expect(bobs?.paths).toMatchObject([
      { path: 'native', ...starting },
      { path: 'pty', ...starting },
    ]);
    const sent = await alice.send('Bob', 'one');
    expect(await traceOf(sent)).toMatchObject({ state: 'stored', reason: { code: 'starting' } });
    await both.request('REPORT', { path: 'native', state: 'ready' });
    expect(await traceOf(sent)).toMatchObject({ reason: { code: 'not_taken' } });
    both.disconnect();
    expect(alice.events.filter(({ type }) => type === 'path.changed')).toEqual(
      [
        { path: 'native', ...starting },
        { path: 'pty', ...starting },
        { path: 'native', state: 'ready' },
        { path: 'native', state: 'away' },
        { path: 'pty', state: 'away' },
      ].map((change) => ({ type: 'path.changed', agent: 'Bob', ...change })),
    );
  });

  it('has started when it claims, also if its program reports no states', async () => {
    const pty = host('terminal', 'pty');
    await claim(pty, 'pty');
    const sent = await alice.send('Bob', 'one');
    expect(await traceOf(sent)).toMatchObject({ reason: { code: 'not_taken' } });
    await pty.request('REPORT', { path: 'pty', state: 'waits', reason: { code: 'busy' } });
    await claim(pty, 'pty');
    const bobs = (await alice.request('WHO', {})).agents.find(({ name }) => name === 'Bob');
    expect(bobs?.paths).toMatchObject([{ state: 'waits', reason: { code: 'busy' } }]);
  });

  it('says whether the agent works', async () => {
    const pty = host('terminal', 'pty');
    const status = async () =>
      (await alice.request('WHO', {})).agents.find(({ name }) => name === 'Bob')?.status;
    expect(await status()).toBe('idle');
    await pty.request('REPORT', { path: 'pty', state: 'waits', reason: { code: 'busy' } });
    expect(await status()).toBe('active');
    await pty.request('REPORT', { path: 'pty', state: 'waits', reason: { code: 'approval_dialog' } });
    expect(await status()).toBe('idle');
  });

  it('is one program at a time: the next one continues where it ended', async () => {
    const first = bob.again();
    await first.listening();
    const second = bob.again();
    const one = await alice.send('Bob', 'one');
    await alice.send('Bob', 'two');
    await first.request('ACK', { upTo: one.seq });
    first.disconnect();
    await second.listening();
    expect(second.delivered.map(({ content }) => content)).toEqual(['two']);
  });

  it.each<ReasonCode>(['busy', 'approval_dialog', 'draft', 'usage_limit'])(
    'says why it waits: %s',
    async (code) => {
      const pty = host('terminal', 'pty');
      const sent = await alice.send('Bob', 'one');
      const until = core.clock.now() + 60_000;
      await pty.request('REPORT', {
        path: 'pty',
        state: 'waits',
        reason: { code, detail: 'so it is', until },
      });
      expect(await traceOf(sent)).toMatchObject({
        state: 'stored',
        path: 'pty',
        reason: { code, text: expect.stringContaining(': so it is'), until },
      });
      await pty.request('REPORT', { path: 'pty', state: 'ready' });
      expect(await traceOf(sent)).toMatchObject({ reason: { code: 'not_taken' } });
    },
  );
});

describe('waiting for mail', () => {
  const WAIT = { timeoutMs: 1000 };

  it('ends at once if some is unread, else with the next message', async () => {
    expect(await bob.request('WAIT', WAIT, 'w1')).toEqual({ unread: 0 });
    const outcome = bob.outcomeOf('w1');
    await alice.send('Bob', 'one');
    expect(await outcome).toMatchObject({ reply: { content: 'one' } });
    expect(await bob.request('WAIT', WAIT, 'w2')).toEqual({ unread: 1 });
    await bob.request('ACK', {
      messages: [(await bob.request('INBOX', {})).messages[0]?.id ?? ''],
      state: 'read',
    });
    expect(await bob.request('WAIT', WAIT, 'w3')).toEqual({ unread: 0 });
  });

  it('ends after its timeout', async () => {
    await bob.request('WAIT', WAIT, 'w4');
    core.clock.advance(1000);
    expect(await bob.outcomeOf('w4')).toMatchObject({ error: { code: 'Timeout' } });
    expect(await bob.request('WAIT', WAIT, 'w5')).toEqual({ unread: 0 });
  });

  it('is possible for one program at a time, until it cancels or disconnects', async () => {
    const other = bob.again({ paths: [] });
    await bob.request('WAIT', WAIT, 'w6');
    const begin = vi.spyOn(other, 'begin');
    await expect(other.request('WAIT', WAIT, 'w7')).rejects.toMatchObject({ code: 'AlreadyWaiting' });
    expect(begin.mock.results).toMatchObject([{ value: { hasEnded: true } }]);
    await bob.request('CANCEL', { id: 'w6' });
    await other.request('WAIT', WAIT, 'w8');
    other.disconnect();
    expect(await bob.request('WAIT', WAIT, 'w9')).toEqual({ unread: 0 });
  });

  it('continues when it is requested again on a new connection', async () => {
    await bob.request('WAIT', WAIT, 'w10');
    const back = bob.again({ paths: [] });
    expect(await back.request('WAIT', WAIT, 'w10')).toEqual({ unread: 0 });
    await alice.send('Bob', 'one');
    expect(await back.outcomeOf('w10')).toMatchObject({ reply: { content: 'one' } });
  });
});
