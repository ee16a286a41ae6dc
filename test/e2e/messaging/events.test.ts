import { isRelayError, reason } from '@agent-relay/protocol';
import type { InvocationInfo, NodeConnectOptions, Relay, RelayEvent } from '@agent-relay/sdk/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestDaemon } from '../../kit/daemon.ts';
import { startDaemonWithServers } from '../../kit/daemon-with-servers.ts';
import { newRepository } from '../../kit/repository.ts';
import { client } from './commands.ts';

/**
 * Alice writes to Bob, and to Host, which is a terminal. Carol is in their project, the stranger owns another one; Dora
 * asked to hear of her mail alone.
 */
const NAMES = ['alice', 'bob', 'carol', 'owner', 'host', 'stranger', 'dora'] as const;
type Name = (typeof NAMES)[number];
const PROJECT: Name[] = ['alice', 'bob', 'carol', 'owner', 'host'];

interface World extends Record<Name, Relay> {
  daemon: TestDaemon;
}

interface Happening<Event extends RelayEvent> {
  /** Makes it happen, once; resolves with what the event must say. */
  cause(world: World): Promise<Omit<Event, 'type'>>;
  heardBy: Name[];
}

/** A channel of its own, made by the project's owner, who is in none. */
async function newChannel({ owner }: World, name: string): Promise<string> {
  return (await owner.channels.create(name)).name;
}

async function messageToBob({ alice }: World): Promise<string> {
  return (await alice.send('Bob', 'The build of release 7 is done.')).messageId;
}

/** A message that the terminal has taken; what it took before is done with. */
async function claimedByHost({ alice, host }: World): Promise<string> {
  const { messageId } = await alice.send('Host', 'Please look at release 7.');
  const claimed = await host.paths.claim('pty', { limit: 100 });
  const before = claimed.map(({ id }) => id).filter((id) => id !== messageId);
  await host.read(before);
  return messageId;
}

/** An invocation as it was when it was begun. */
const begun = ({ endedAt, result, ...invocation }: InvocationInfo): InvocationInfo => ({
  ...invocation,
  status: 'invoked',
});

/** An action of Bob that Alice invoked, as it ended. */
async function performed({ alice, bob }: World, name: string, error?: string): Promise<InvocationInfo> {
  await bob.registerAction({
    name,
    description: 'Opens',
    input: {},
    handler: () => {
      if (error !== undefined) throw new Error(error);
      return 'open';
    },
  });
  return await alice.invoke(name, {}, { wait: true });
}

/** Host says that it runs a program. Its processes have ended, so that nobody could end them by mistake. */
async function hostRun({ host }: World, run: string): Promise<void> {
  running = run;
  const gone = { pid: 2 ** 22 - 1, mark: 'gone' };
  const startedAt = Date.now();
  await host.request('HOST', { run, cli: 'claude', cwd: '/', host: gone, program: gone, startedAt });
}

/** An agent that came and went. */
async function visitor({ daemon }: World, name: string): Promise<string> {
  await (await client(daemon, { name })).close();
  return name;
}

/** One for each event of the protocol: a new one does not compile until it is here. */
const HAPPENINGS: { [Event in RelayEvent as Event['type']]: Happening<Event> } = {
  'message.created': {
    async cause({ owner, alice }) {
      const tail = owner.tail({ after: 0 });
      const next = tail.next();
      await alice.send('Bob', 'First of all.');
      const { value: message } = await next;
      await tail.return();
      if (!message) throw new Error('The tail ended.');
      expect(message).toMatchObject({ from: 'Alice', to: 'Bob', content: 'First of all.' });
      return { message };
    },
    heardBy: ['owner'],
  },
  'message.redacted': {
    async cause(world) {
      const messageId = await messageToBob(world);
      await world.alice.redact(messageId);
      return { messageId };
    },
    heardBy: ['alice', 'bob', 'owner'],
  },
  'message.held': {
    async cause({ alice, bob, owner }) {
      await bob.send('Alice', 'It is deployed to the staging cluster.');
      await alice.send('Bob', 'Thanks!');
      const { messageId, held: reason } = await bob.send('Alice', 'Thank you!');
      if (reason === undefined) throw new Error('It was not held.');
      await owner.held.release([messageId]);
      return { messageId, from: 'Bob', to: 'Alice', reason };
    },
    heardBy: ['bob', 'owner'],
  },
  'delivery.accepted': {
    async cause(world) {
      const messageId = await claimedByHost(world);
      return { messageId, agent: 'Host', path: 'pty' };
    },
    heardBy: ['alice', 'owner'],
  },
  'delivery.injected': {
    async cause(world) {
      const messageId = await claimedByHost(world);
      await world.host.paths.report('pty', messageId, 'injected');
      return { messageId, agent: 'Host', path: 'pty', afterMs: expect.any(Number) };
    },
    heardBy: ['alice', 'owner'],
  },
  'delivery.turn_started': {
    async cause(world) {
      const messageId = await claimedByHost(world);
      await world.host.paths.report('pty', messageId, 'turn_started');
      return { messageId, agent: 'Host', path: 'pty', afterMs: expect.any(Number) };
    },
    heardBy: ['alice', 'owner'],
  },
  'delivery.uncertain': {
    async cause(world) {
      const messageId = await claimedByHost(world);
      await world.host.paths.report('pty', messageId, 'uncertain', { code: 'unconfirmed' });
      return {
        messageId,
        agent: 'Host',
        path: 'pty',
        reason: reason('unconfirmed'),
        afterMs: expect.any(Number),
      };
    },
    heardBy: ['alice', 'owner'],
  },
  'delivery.refused': {
    async cause(world) {
      const messageId = await claimedByHost(world);
      const why = { code: 'unknown_screen', detail: 'update notice' } as const;
      await world.host.paths.report('pty', messageId, 'refused', why);
      return {
        messageId,
        agent: 'Host',
        path: 'pty',
        reason: reason(why.code, why),
        afterMs: expect.any(Number),
      };
    },
    heardBy: ['alice', 'owner'],
  },
  'delivery.read': {
    async cause(world) {
      const messageId = await messageToBob(world);
      await world.bob.read(messageId, { path: 'pull' });
      return { messageId, agent: 'Bob', path: 'pull', afterMs: expect.any(Number) };
    },
    heardBy: ['alice', 'owner'],
  },
  'delivery.acked': {
    async cause(world) {
      const messageId = await messageToBob(world);
      await world.bob.ack(messageId);
      return { messageId, agent: 'Bob', afterMs: expect.any(Number) };
    },
    heardBy: ['alice', 'owner'],
  },
  'mail.arrived': {
    async cause(world) {
      const { messageId } = await world.alice.send('Dora', 'Did you see this?');
      const { message } = await world.alice.trace(messageId);
      return { message };
    },
    heardBy: ['dora'],
  },
  'mail.claimable': {
    async cause({ alice }) {
      await alice.send('Host', 'Your turn.');
      return {};
    },
    heardBy: ['host'],
  },
  'path.changed': {
    async cause({ host }) {
      await host.paths.waits('pty', { code: 'approval_dialog' });
      return { agent: 'Host', path: 'pty', state: 'waits', reason: reason('approval_dialog') };
    },
    heardBy: PROJECT,
  },
  'reaction.added': {
    async cause(world) {
      const messageId = await messageToBob(world);
      await world.bob.react(messageId, '🎉');
      return { messageId, emoji: '🎉', agent: 'Bob' };
    },
    heardBy: ['alice', 'bob', 'owner'],
  },
  'reaction.removed': {
    async cause(world) {
      const messageId = await messageToBob(world);
      await world.bob.react(messageId, ':eyes:');
      await world.bob.unreact(messageId, ':eyes:');
      return { messageId, emoji: ':eyes:', agent: 'Bob' };
    },
    heardBy: ['alice', 'bob', 'owner'],
  },
  'channel.created': {
    cause: async (world) => ({ channel: await newChannel(world, 'made'), agent: 'owner' }),
    heardBy: PROJECT,
  },
  'channel.joined': {
    async cause(world) {
      const channel = await newChannel(world, 'open-to-all');
      await world.bob.channels.join(channel);
      return { channel, agent: 'Bob' };
    },
    heardBy: PROJECT,
  },
  'channel.left': {
    async cause(world) {
      const channel = await newChannel(world, 'dull');
      await world.bob.channels.join(channel);
      await world.bob.channels.leave(channel);
      return { channel, agent: 'Bob' };
    },
    heardBy: PROJECT,
  },
  'channel.topic': {
    async cause(world) {
      const channel = await newChannel(world, 'talk');
      await world.alice.channels.topic(channel, 'what to do next');
      return { channel, topic: 'what to do next', agent: 'Alice' };
    },
    heardBy: PROJECT,
  },
  'channel.archived': {
    async cause(world) {
      const channel = await newChannel(world, 'finished');
      await world.alice.channels.archive(channel);
      return { channel, agent: 'Alice' };
    },
    heardBy: PROJECT,
  },
  'channel.opened': {
    async cause(world) {
      const channel = await newChannel(world, 'resumed');
      await world.alice.channels.archive(channel);
      await world.alice.channels.archive(channel, { archived: false });
      return { channel, agent: 'Alice' };
    },
    heardBy: PROJECT,
  },
  'agent.online': { cause: async (world) => ({ agent: await visitor(world, 'Otto') }), heardBy: PROJECT },
  'agent.offline': { cause: async (world) => ({ agent: await visitor(world, 'Olga') }), heardBy: PROJECT },
  'agent.renamed': {
    async cause(world) {
      const before = await visitor(world, 'Robert');
      await world.owner.agents.rename(before, 'Rob');
      return { agent: 'Rob', before };
    },
    heardBy: PROJECT,
  },
  'agent.changed': {
    async cause(world) {
      const agent = await visitor(world, 'Ruth');
      await world.owner.agents.set(agent, { lead: true });
      return { agent };
    },
    heardBy: PROJECT,
  },
  'agent.removed': {
    async cause(world) {
      const agent = await visitor(world, 'Rita');
      await world.owner.agents.remove(agent);
      return { agent };
    },
    heardBy: PROJECT,
  },
  'spawn.progress': {
    async cause({ alice, daemon }) {
      await newRepository(daemon.projectDirectory);
      await expect(alice.workers.spawn('Brief', 'brief', { worktree: true })).rejects.toMatchObject({
        code: 'SpawnFailed',
      });
      return { agent: 'Brief', text: 'Creating a worktree' };
    },
    heardBy: ['alice'],
  },
  'session.started': {
    async cause(world) {
      await hostRun(world, 'run_started');
      return { agent: 'Host' };
    },
    heardBy: PROJECT,
  },
  'session.ready': {
    async cause(world) {
      await hostRun(world, 'run_ready');
      await world.host.paths.ready('pty');
      return { agent: 'Host' };
    },
    heardBy: PROJECT,
  },
  'session.waiting': {
    async cause(world) {
      await hostRun(world, 'run_waiting');
      await world.host.paths.waits('pty', { code: 'starting', detail: 'trust question' });
      return { agent: 'Host', reason: reason('starting', { detail: 'trust question' }) };
    },
    heardBy: PROJECT,
  },
  'session.resumed': {
    async cause(world) {
      await hostRun(world, 'run_resumed');
      await world.host.paths.waits('pty', { code: 'approval_dialog' });
      await world.host.paths.waits('pty', { code: 'busy' });
      return { agent: 'Host' };
    },
    heardBy: PROJECT,
  },
  'session.exited': {
    async cause(world) {
      await hostRun(world, 'run_exited');
      await world.host.request('RUN_REPORT', { run: 'run_exited', exit: { code: 3 } });
      return { agent: 'Host', exit: { code: 3 } };
    },
    heardBy: PROJECT,
  },
  'run.end': {
    async cause(world) {
      await hostRun(world, 'run_end');
      world.host.once('run.end', ({ run }) => {
        void world.host.request('RUN_REPORT', { run, exit: { code: 0, signal: 'SIGHUP' } });
      });
      expect(await world.owner.workers.release('Host')).toMatchObject({
        exit: { code: 0, signal: 'SIGHUP' },
      });
      return { run: 'run_end' };
    },
    heardBy: ['host'],
  },
  'run.attention': {
    async cause(world) {
      await hostRun(world, 'run_attentive');
      await world.owner.setAttention('end-of-turn', { agent: 'Host' });
      return { run: 'run_attentive', attention: 'end-of-turn' };
    },
    heardBy: ['host'],
  },
  'terminal.command': {
    async cause(world) {
      await hostRun(world, 'run_viewed');
      const size = { columns: 80, rows: 24 };
      const view = await world.owner.terminals.attach('Host', { ...size, onOutput: () => undefined });
      // It was told of the viewer, who wants the screen.
      await world.host.status();
      heard.get('host')?.splice(0);
      await view.hold(true);
      return { run: 'run_viewed', command: { kind: 'hold', held: true } };
    },
    heardBy: ['host'],
  },
  'prompt.changed': {
    async cause(world) {
      await hostRun(world, 'run_prompt');
      const prompt = { key: 'first', ask: { kind: 'command' as const, command: 'ls' } };
      await world.host.request('PROMPT_REPORT', { run: 'run_prompt', prompt });
      return { agent: 'Host' };
    },
    heardBy: ['owner'],
  },
  'terminal.output': {
    async cause(world) {
      await hostRun(world, 'run_output');
      await world.owner.terminals.attach('Host', { columns: 80, rows: 24, onOutput: () => undefined });
      const screen = { columns: 80, rows: 24 };
      await world.host.request('TERMINAL_OUTPUT', { run: 'run_output', data: 'aGk=', screen });
      return { viewer: expect.any(String), data: 'aGk=', screen };
    },
    heardBy: ['owner'],
  },
  'terminal.changed': {
    async cause(world) {
      await hostRun(world, 'run_changed');
      const size = { columns: 80, rows: 24 };
      const view = await world.owner.terminals.attach('Host', { ...size, onOutput: () => undefined });
      await view.hold(true);
      return { viewer: expect.any(String), mode: 'watch', held: true, viewers: 1 };
    },
    heardBy: ['owner'],
  },
  'terminal.ended': {
    async cause(world) {
      await hostRun(world, 'run_over');
      const size = { columns: 80, rows: 24 };
      await world.owner.terminals.attach('Host', { ...size, onOutput: () => undefined });
      await world.host.request('RUN_REPORT', { run: 'run_over', exit: { code: 0 } });
      return { viewer: expect.any(String), exit: { code: 0 } };
    },
    heardBy: ['owner'],
  },
  'tools.changed': {
    async cause({ bob }) {
      await bob.exposeTool({ name: 'see', description: 'Looks', input: {}, handler: () => true });
      return { agent: 'Bob' };
    },
    heardBy: PROJECT,
  },
  'servers.changed': {
    async cause({ owner }) {
      await owner.servers.remove('files');
      return {};
    },
    // Each project has the same servers.
    heardBy: ['owner', 'stranger'],
  },
  'action.invoked': {
    cause: async (world) => ({ invocation: begun(await performed(world, 'open.a')) }),
    heardBy: ['alice', 'bob', 'owner'],
  },
  'action.completed': {
    cause: async (world) => ({ invocation: await performed(world, 'open.b') }),
    heardBy: ['alice', 'bob', 'owner'],
  },
  'action.failed': {
    cause: async (world) => ({ invocation: await performed(world, 'open.c', 'No.') }),
    heardBy: ['alice', 'bob', 'owner'],
  },
  'call.cancelled': {
    async cause({ alice, bob }) {
      const begun = Promise.withResolvers<string>();
      await bob.exposeTool({
        name: 'wait',
        description: 'Waits',
        input: {},
        handler: ({ invocationId, signal }) => {
          begun.resolve(invocationId);
          return new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
      });
      const stop = new AbortController();
      const call = alice.call('Bob.wait', {}, { signal: stop.signal });
      const callId = await begun.promise;
      stop.abort();
      await expect(call).rejects.toMatchObject({ code: 'Cancelled' });
      return { callId, reason: 'cancelled' };
    },
    heardBy: ['bob'],
  },
  'events.missed': {
    async cause({ daemon }) {
      await daemon.kill9();
      await daemon.start();
      return {};
    },
    heardBy: [...PROJECT, 'stranger'],
  },
};

let world: World;
/** The run that the terminal last said it has. */
let running: string | undefined;
const heard = new Map<Name, RelayEvent[]>(NAMES.map((name) => [name, []]));

const opened = new AsyncDisposableStack();

beforeAll(async () => {
  const daemon = opened.use(
    await startDaemonWithServers([{ name: 'files', command: 'none', lazy: true }], {
      settings: { governor: { emptyTurns: 2 }, clis: { brief: { command: ['false'] } } },
    }),
  );
  const enter = async (options: NodeConnectOptions) => opened.use(await client(daemon, options));
  const owner = await enter({});
  const { name: project, socketPath = '' } = await owner.request('WORKSPACE_CREATE', { name: 'elsewhere' });
  world = {
    daemon,
    owner,
    alice: await enter({ name: 'Alice' }),
    bob: await enter({ name: 'Bob' }),
    carol: await enter({ name: 'Carol' }),
    dora: await enter({ name: 'Dora', notify: true }),
    host: await enter({ name: 'Host', paths: ['pty'], receiver: 'terminal' }),
    stranger: await enter({ project, socketPath }),
  };
  for (const name of NAMES) {
    for (const type of Object.keys(HAPPENINGS) as Array<RelayEvent['type']>)
      world[name].on(type, (event) => heard.get(name)?.push(event));
    if (name !== 'dora') await world[name].watch();
  }
});
afterAll(() => opened.disposeAsync());

describe('every event reaches those it concerns, and nobody else', () => {
  // Otherwise its end would be noticed during another one.
  afterEach(async () => {
    if (running === undefined) return;
    const end = world.host.request('RUN_REPORT', { run: running, exit: { code: 0 } });
    running = undefined;
    await end.catch((error) => {
      if (!isRelayError(error, 'NotRunning')) throw error;
    });
  });

  it.each(Object.entries(HAPPENINGS))('%s', async (type, { cause, heardBy }) => {
    for (const events of heard.values()) events.length = 0;
    const event = { type, ...(await cause(world)) };
    const heardOf = (name: Name) => heard.get(name)?.filter((one) => one.type === type);
    for (const name of heardBy) await expect.poll(() => heardOf(name), { timeout: 10_000 }).toEqual([event]);
    // What was told before this answer is here by now, on every connection.
    await Promise.all(NAMES.map((name) => world[name].status()));
    for (const name of NAMES) expect(heardOf(name), name).toEqual(heardBy.includes(name) ? [event] : []);
  });
});
