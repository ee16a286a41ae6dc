import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InProcessBus } from '../../packages/relay/src/core/in-process/bus.ts';
import { InProcessDirectory } from '../../packages/relay/src/core/in-process/directory.ts';
import { GONE_AFTER_MS, openCore, type Participant, type TestCore } from '../kit/core.ts';
import { ManualClock } from '../kit/manual-clock.ts';
import { type PostgresServer, startPostgres } from '../kit/postgres.ts';
import { DistantBus, DistantDirectory } from './distant.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** Two daemons on one PostgreSQL that share nothing else than a bus and a directory. */
describe.each([
  { where: 'of one process', Bus: InProcessBus, Directory: InProcessDirectory },
  { where: 'of processes apart', Bus: DistantBus, Directory: DistantDirectory },
])('agents of two daemons $where', ({ where, Bus, Directory }) => {
  let one: TestCore;
  let other: TestCore;
  let alice: Participant;
  let bob: Participant;

  beforeAll(async () => {
    const database = await server.createDatabase(where.replaceAll(' ', '_'));
    const shared = { bus: new Bus(), directory: new Directory(new ManualClock(), GONE_AFTER_MS) };
    const governor = { enabled: false, emptyTurns: 1, maxTurns: 1, windowMs: 1 };
    one = await openCore({ database, shared, governor });
    await one.newWorkspace();
    other = await openCore({ database, shared, governor });
  });
  afterAll(async () => {
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    const [workspace] = one.relay.workspaces.list();
    const [theirs] = other.relay.workspaces.list();
    if (!workspace || !theirs) throw new Error('There is no workspace.');
    const round = crypto.randomUUID().slice(0, 8);
    alice = await one.join(workspace, `alice-${round}`);
    bob = await other.join(theirs, `bob-${round}`);
    await expect.poll(() => one.relay.agents.find(workspace, bob.name)).toBeDefined();
    await expect.poll(() => other.relay.agents.find(theirs, alice.name)).toBeDefined();
  });

  /** Resolves when Alice finds the tool of Bob, who is at the other daemon. */
  const found = (tool: string) =>
    expect.poll(() => alice.request('DISCOVER', { tool })).toMatchObject({ agents: [{ name: bob.name }] });
  const foundAction = (name: string) =>
    expect
      .poll(async () => (await alice.request('ACTIONS', {})).actions.map((action) => action.name))
      .toContain(name);

  it('write to each other: what is stored at one is pushed at the other', async () => {
    expect(await alice.send(bob.name, 'Hi.')).toMatchObject({ recipients: 1, online: 1 });
    await expect.poll(() => bob.delivered).toMatchObject([{ from: alice.name, content: 'Hi.' }]);
  });

  it('wait for each other and are answered', async () => {
    const question = await alice.ask(bob.name);
    await bob.reply(question.messageId, 'This.');
    expect(await question.outcome()).toMatchObject({ reply: { content: 'This.' } });
  });

  it('see each other come and go', async () => {
    await alice.request('WATCH', {});
    expect((await alice.request('WHO', {})).agents.map(({ name }) => name)).toContain(bob.name);
    bob.disconnect();
    await expect.poll(() => alice.events).toContainEqual({ type: 'agent.offline', agent: bob.name });
    expect((await alice.request('WHO', {})).agents.map(({ name }) => name)).not.toContain(bob.name);
  });

  it('learn the delivery status of what they sent', async () => {
    await alice.request('WATCH', {});
    const { messageId } = await alice.send(bob.name, 'Hi.');
    await bob.request('ACK', { messages: [messageId], state: 'read' });
    await expect
      .poll(() => alice.events)
      .toContainEqual(expect.objectContaining({ type: 'delivery.read', messageId, agent: bob.name }));
  });

  it('get each message once, whichever daemon their paths are connected to', async () => {
    await bob.request('RECEIVE', { paths: ['hook'] });
    const elsewhere = await one.join(alice.principal.workspace, bob.name, { token: bob.token });
    await elsewhere.request('RECEIVE', { paths: ['pty'] });
    for (const text of ['one', 'two', 'three']) await alice.send(bob.name, text);
    const shown: string[] = [];
    const show = async (host: Participant, path: 'hook' | 'pty') => {
      const { messages } = await host.request('CLAIM', { path, limit: 2 });
      shown.push(...messages.map(({ content }) => content));
      const ids = messages.map(({ id }) => id);
      if (ids.length > 0) await host.request('REPORT', { path, messages: ids, state: 'injected' });
    };
    // Of two that ask for the same at once, one gets nothing.
    for (const _ of ['one', 'two', 'three']) await Promise.all([show(bob, 'hook'), show(elsewhere, 'pty')]);
    expect(shown.toSorted()).toEqual(['one', 'three', 'two']);
  });

  it('spawn nothing for a caller of the other daemon, who may be on another machine', async () => {
    await bob.serve({ name: 'create' });
    await found('create');
    const wish = { name: 'Worker', cli: 'claude' };
    await alice.call(`${bob.name}.create`, wish);
    await expect.poll(() => bob.calls).toHaveLength(1);
    const call = bob.calls[0]?.callId ?? '';
    await expect(bob.request('SPAWN', { ...wish, call })).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it("find and call each other's tools, and get the results", async () => {
    await bob.serve({ name: 'add', outputSchema: { type: 'number' } });
    await found('add');
    const call = await alice.call(`${bob.name}.add`, { a: 1 });
    await expect.poll(() => bob.calls).toMatchObject([{ arguments: { a: 1 }, caller: { name: alice.name } }]);
    await bob.request('PROGRESS', { callId: bob.calls[0]?.callId ?? '', progress: 1 });
    await expect.poll(() => alice.progress).toEqual([{ id: call.requestId, progress: 1 }]);
    await bob.answer({ result: 2 });
    expect(await call.outcome()).toMatchObject({ result: 2 });
    const cancelled = await alice.call(`${bob.name}.add`);
    await alice.request('CANCEL', { id: cancelled.requestId });
    await expect
      .poll(() => bob.events)
      .toContainEqual({
        type: 'call.cancelled',
        callId: cancelled.callId,
        reason: 'cancelled',
      });
    const left = await alice.call(`${bob.name}.add`);
    await expect.poll(() => bob.calls).toHaveLength(3);
    bob.disconnect();
    expect(await left.outcome()).toMatchObject({ error: { code: 'CalleeGone' } });
  });

  it('invoke actions of each other, and wait for the same invocation at either daemon', async () => {
    const name = `vote.${bob.name}`;
    await bob.request('SERVE', {
      tools: [],
      actions: [{ name, description: 'Votes', inputSchema: {} }],
    });
    await foundAction(name);
    const asked = { name, invocationId: `for-${bob.name}`, wait: true };
    await alice.request('INVOKE', asked, 'here');
    const elsewhere = await other.join(bob.principal.workspace, alice.name, { token: alice.token });
    await elsewhere.request('INVOKE', asked, 'there');
    await expect.poll(() => bob.calls).toHaveLength(1);
    await bob.answer({ result: 'yes' });
    const completed = { result: { status: 'completed', result: 'yes' } };
    expect(await alice.outcomeOf('here')).toMatchObject(completed);
    expect(await elsewhere.outcomeOf('there')).toMatchObject(completed);
  });

  it('learn at once that the callee left before it got the call', async () => {
    const petra = await one.join(alice.principal.workspace, `Petra-${bob.name}`, {
      type: 'human',
      lead: true,
    });
    const name = `deploy.${bob.name}`;
    const action = { name, description: 'Deploys', inputSchema: {} };
    await bob.request('SERVE', { tools: [], actions: [action] });
    await foundAction(name);
    const invoking = alice.request('INVOKE', { name, wait: true }, 'begun');
    for (let i = 0; i < 10; i++) await undefined;
    bob.disconnect();
    await invoking;
    const failed = { result: { status: 'failed', error: { code: 'AgentOffline' } } };
    expect(await alice.outcomeOf('begun')).toMatchObject(failed);
    const back = await other.join(bob.principal.workspace, bob.name, { token: bob.token });
    await back.request('SERVE', { tools: [], actions: [{ ...action, consent: true }] });
    await foundAction(name);
    await alice.request('INVOKE', { name, wait: true }, 'asked');
    await expect.poll(() => petra.delivered).toHaveLength(1);
    back.disconnect();
    expect(await alice.outcomeOf('asked')).toMatchObject(failed);
    expect([...bob.calls, ...back.calls]).toEqual([]);
  });

  it('decide about calls of each other, and learn what became of them', async () => {
    const person = { type: 'human', lead: true } as const;
    const petra = await other.join(bob.principal.workspace, `Petra-${bob.name}`, person);
    await expect.poll(() => one.relay.agents.find(alice.principal.workspace, petra.name)).toBeDefined();
    for (const known of one.relay.agents.list(alice.principal.workspace))
      if (known.lead && known.name !== petra.name)
        await one.owner(alice.principal.workspace).request('AGENT_SET', { agent: known.name, lead: false });
    await bob.serve({ name: 'deploy', consent: true });
    await found('deploy');
    await alice.call(`${bob.name}.deploy`);
    await expect.poll(() => petra.delivered).toHaveLength(1);
    const message = petra.delivered[0]?.id ?? '';
    const decided = petra.request('CONSENT_ANSWER', { message, answer: 'allow' });
    await expect.poll(() => bob.calls).toHaveLength(1);
    await bob.answer({ result: 1 });
    expect(await decided).toEqual({ call: 'finished' });
    const again = petra.request('CONSENT_ANSWER', { message, answer: 'allow' });
    const refused = expect(again).rejects.toMatchObject({ code: 'CallEnded' });
    // No daemon says that it has this call.
    const tick = setInterval(() => other.clock.advance(1000), 20);
    await refused;
    clearInterval(tick);
    expect(bob.calls).toHaveLength(1);
  });

  it('share projects that are created, renamed and removed while both run', async () => {
    const name = `shop-${bob.name}`;
    const created = await one.owner(alice.principal.workspace).request('WORKSPACE_CREATE', { name });
    const theirs = () => other.relay.workspaces.find(name);
    await expect.poll(theirs).toBeDefined();
    const [ann, ben] = [
      await one.join(one.relay.workspaces.get(name), 'Ann'),
      await other.join(other.relay.workspaces.get(name), 'Ben'),
    ];
    await expect.poll(() => other.relay.agents.find(other.relay.workspaces.get(name), 'Ann')).toBeDefined();
    await ben.send('Ann', 'Hi.');
    await expect.poll(() => ann.delivered).toMatchObject([{ from: 'Ben', content: 'Hi.' }]);
    const owner = other.owner(bob.principal.workspace);
    await owner.request('WORKSPACE_RENAME', { workspace: name, name: `${name}-new` });
    await expect.poll(() => one.relay.workspaces.find(`${name}-new`)?.formerNames).toEqual([name]);
    expect(one.relay.workspaces.find(name)).toBeUndefined();
    await owner.request('WORKSPACE_REMOVE', { workspace: `${name}-new` });
    await expect.poll(() => one.relay.workspaces.find(`${name}-new`)).toBeUndefined();
    await expect(one.relay.workspaces.authenticate(created.key)).rejects.toMatchObject({
      code: 'Unauthorized',
    });
  });

  it('are disconnected from every daemon when their token is replaced', async () => {
    const owner = one.owner(alice.principal.workspace);
    await owner.request('TOKEN_ROTATE', { agent: bob.name });
    await expect.poll(() => bob.isRevoked).toBe(true);
  });
});
