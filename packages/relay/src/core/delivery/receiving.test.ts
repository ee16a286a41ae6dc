import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { IDLE_AFTER_MS, openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';

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

const bobsPaths = async () =>
  (await alice.request('WHO', {})).agents.find(({ name }) => name === 'Bob')?.paths;
const contents = ({ delivered }: Participant) => delivered.map(({ content }) => content);

describe('a connection that ends while it asks for mail', () => {
  it('is not kept as a path', async () => {
    const program = bob.again({ paths: [] });
    const asked = program.request('RECEIVE', { paths: ['push'], resumeAfter: 1 });
    program.disconnect();
    await asked;
    expect(await bobsPaths()).toEqual([]);
  });
});

describe('a path that ends while it claims', () => {
  const standingBy = async () => {
    const program = bob.again();
    const pty = bob.again({ paths: ['pty'], receiver: 'terminal' });
    await program.listening();
    const sent = await alice.send('Bob', 'one');
    return { program, pty, sent };
  };

  it('gets nothing: the message goes to the next path', async () => {
    const { program, pty } = await standingBy();
    const claimed = pty.request('CLAIM', { path: 'pty' });
    pty.disconnect();
    expect((await claimed).messages).toEqual([]);
    await vi.waitFor(() => expect(contents(program)).toEqual(['one']));
  });

  it('keeps what it got: no other path gets the same message', async () => {
    const { program, pty, sent } = await standingBy();
    const { store } = core.relay;
    const write = store.claim.bind(store);
    const claim = vi.spyOn(store, 'claim').mockImplementationOnce((wanted) => {
      pty.disconnect();
      return write(wanted);
    });
    await pty.request('CLAIM', { path: 'pty' });
    claim.mockRestore();
    await alice.send('Bob', 'two');
    await vi.waitFor(() => expect(contents(program)).toEqual(['two']));
    const { deliveries } = await alice.request('TRACE', { id: sent.messageId });
    expect(deliveries).toMatchObject([{ state: 'uncertain' }]);
  });
});

describe('a program that reconnects before its old connection is known to be lost', () => {
  it('gets its mail on the new connection', async () => {
    const before = bob.again({ receiver: 'program' });
    await before.listening();
    const one = await alice.send('Bob', 'one');
    await before.request('ACK', { upTo: one.seq });
    const back = bob.again({ paths: [] });
    await back.request('RECEIVE', { paths: ['push'], receiver: 'program', resumeAfter: one.seq });
    await back.listening();
    await alice.send('Bob', 'two');
    expect([contents(before), contents(back)]).toEqual([['one'], ['two']]);
  });

  it('is notified on the new connection, and stays present when the old one ends', async () => {
    const before = bob.again({ paths: ['pty'], receiver: 'terminal' });
    const back = bob.again({ paths: ['pty'], receiver: 'terminal' });
    await alice.request('WATCH', {});
    const told = back.events.length;
    await alice.send('Bob', 'one');
    expect(back.events.slice(told)).toEqual([{ type: 'mail.claimable' }]);
    before.disconnect();
    expect(alice.events.filter(({ type }) => type === 'path.changed')).toEqual([]);
    expect(await bobsPaths()).toMatchObject([{ path: 'pty', inUse: true }]);
  });
});

describe('a message that is refused after a later one', () => {
  it('stays in the inbox if a program is past it, and the path continues', async () => {
    const program = bob.again();
    const pty = bob.again({ paths: ['pty'], receiver: 'terminal' });
    await program.listening();
    const [one, two] = [await alice.send('Bob', 'one'), await alice.send('Bob', 'two')];
    await pty.request('CLAIM', { path: 'pty' });
    for (const { messageId } of [two, one]) {
      await pty.request('REPORT', { path: 'pty', messages: [messageId], state: 'refused' });
      await vi.waitFor(() => expect(contents(program)).toEqual(['two']));
    }
    const { deliveries } = await alice.request('TRACE', { id: one.messageId });
    expect(deliveries).toMatchObject([{ state: 'stored', reason: { code: 'refused' } }]);
    await program.request('ACK', { messages: [two.messageId], state: 'read' });
    await alice.send('Bob', 'three');
    const { messages } = await pty.request('CLAIM', { path: 'pty' });
    expect(messages).toMatchObject([{ content: 'three' }]);
  });
});

describe('what a path claims', () => {
  it('fits into one answer; the rest comes with the next one', async () => {
    await using large = await openCore({ maxBodyBytes: 65_536 });
    const workspace = await large.newWorkspace();
    const sender = await large.join(workspace, 'Alice');
    const pty = await large.join(workspace, 'Bob');
    await pty.request('RECEIVE', { paths: ['pty'] });
    // Each takes twice as much in an answer.
    for (let number = 0; number < 9; number++) await sender.send('Bob', '"'.repeat(60_000));
    const seen: string[] = [];
    while (seen.length < 9) {
      const answer = await pty.request('CLAIM', { path: 'pty', limit: 100 });
      expect(JSON.stringify(answer).length).toBeLessThan(1024 * 1024);
      const messages = answer.messages.map(({ id }) => id);
      await pty.request('REPORT', { path: 'pty', messages, state: 'injected' });
      seen.push(...messages);
    }
    expect(new Set(seen).size).toBe(9);
  });
});

describe('a recipient is reported as idle', () => {
  it('only if nothing wakes it', async () => {
    core.clock.advance(IDLE_AFTER_MS);
    expect(await alice.send('Bob', 'nothing')).toMatchObject({ idle: ['Bob'] });
    // Hooks that ran in its last turn do not run now.
    const agentId = bob.principal.agent?.id ?? 0;
    core.relay.hooked.declare(agentId, { before: 'hook_not_trusted', between: 'between_turns' });
    expect(await alice.send('Bob', 'nothing again')).toMatchObject({ idle: ['Bob'] });
    const pty = bob.again({ paths: ['pty'] });
    core.clock.advance(IDLE_AFTER_MS);
    expect(await alice.send('Bob', 'a path')).not.toHaveProperty('idle');
    pty.disconnect();
    const { messages } = await bob.request('INBOX', {});
    await bob.request('ACK', { messages: messages.map(({ id }) => id), state: 'read' });
    await bob.request('WAIT', { timeoutMs: 10 * IDLE_AFTER_MS });
    core.clock.advance(IDLE_AFTER_MS);
    expect(await alice.send('Bob', 'a waiter')).not.toHaveProperty('idle');
  });
});
