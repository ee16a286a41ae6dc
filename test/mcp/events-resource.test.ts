import { connect, type Relay } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { callTool, connectClient, connectStdio, ERAS, type TestClient } from './kit/clients.ts';
import { httpTransport, openDoor, type TestDoor } from './kit/http-door.ts';

let daemon: TestDaemon;
let door: TestDoor;
beforeAll(async () => {
  daemon = await startDaemon();
  door = await openDoor(daemon);
});
afterAll(async () => {
  await door.close();
  await daemon[Symbol.asyncDispose]();
});

const join = (name: string) => connect({ socketPath: daemon.socketPath, env: daemon.env, name });

interface Happened {
  type: string;
  agent?: string;
  message?: { content: string };
  invocation?: { actionName: string; result?: unknown };
}

async function eventsOf(client: TestClient): Promise<Happened[]> {
  const [content] = (await client.readResource({ uri: 'relay://events' })).contents;
  return JSON.parse((content as { text: string }).text).events;
}

/** The agent says that it runs a program; its processes have ended, so that nobody could end them by mistake. */
async function startRun(relay: Relay): Promise<void> {
  const gone = { pid: 2 ** 22 - 1, mark: 'gone' };
  const startedAt = Date.now();
  const run = `run_of_${relay.name}`;
  await relay.request('HOST', { run, cli: 'claude', cwd: '/', host: gone, program: gone, startedAt });
}

const TOOLS = 'workspace,actions';
const transports = ERAS.flatMap((era) => [['stdio', era] as const, ['HTTP', era] as const]);

describe.each(transports)('relay://events over %s, revision %s', (transport, era) => {
  const unique = (name: string) => `${name}-${transport}-${era.slice(0, 4)}`;
  const open = (name: string) =>
    transport === 'HTTP'
      ? connectClient(httpTransport(door, { tools: TOOLS, agent: unique(name) }), { era })
      : connectStdio(daemon, {
          era,
          env: { RELAY_AGENT_NAME: unique(name) },
          args: ['serve', '--tools', TOOLS],
        });

  it('notifies a subscriber of its own messages, deliveries, actions and sessions', async () => {
    await using bob = await join(unique('Bob'));
    await using carol = await join(unique('Carol'));
    await using me = await open('Me');
    await using other = await open('Other');
    await callTool(other, 'check_inbox');
    await callTool(me, 'check_inbox');
    let updates = 0;
    me.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      if (params.uri === 'relay://events') updates++;
    });
    if (era === '2026-07-28') await me.listen({ resourceSubscriptions: ['relay://events'] });
    else await me.subscribeResource({ uri: 'relay://events' });
    await bob.registerAction({
      name: unique('act'),
      description: 'Acts',
      input: {},
      handler: () => 'acted',
    });

    await bob.send(unique('Me'), 'For me');
    await bob.send(unique('Carol'), 'Not for me');
    await callTool(me, 'send_dm', { to: unique('Bob'), text: 'For you' });
    await bob.inbox();
    await carol.inbox();
    await callTool(me, 'invoke_action', { name: unique('act'), wait: true });
    await startRun(bob);
    await expect.poll(() => updates).toBeGreaterThan(0);

    const types = async () => (await eventsOf(me)).map(({ type }) => type);
    await expect
      .poll(types)
      .toEqual(
        expect.arrayContaining([
          ...['message.created', 'delivery.read', 'action.invoked', 'action.completed'],
          'session.started',
        ]),
      );
    const mine = await eventsOf(me);
    expect(mine.filter(({ type }) => type === 'message.created')).toMatchObject([
      { message: { content: 'For me', fromType: 'agent' } },
    ]);
    expect(mine.filter(({ type }) => type === 'delivery.read')).toMatchObject([{ agent: unique('Bob') }]);
    expect(mine.find(({ type }) => type === 'action.completed')?.invocation).toMatchObject({
      actionName: unique('act'),
      result: 'acted',
    });
    expect(mine.find(({ type }) => type === 'session.started')).toMatchObject({ agent: unique('Bob') });
    // Programs are everybody's to know of, the rest is not.
    const isSession = ({ type }: Happened) => type.startsWith('session.');
    expect((await eventsOf(other)).filter((event) => !isSession(event))).toEqual([]);
  });
});
