import { connect } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { callTool, connectClient, ERAS } from '../kit/clients.ts';
import { httpTransport, openDoor, sseTransport, type TestDoor } from '../kit/http-door.ts';

let daemon: TestDaemon;
/** Without a key of its own, and with one. */
let door: TestDoor;
let keyedDoor: TestDoor;
beforeAll(async () => {
  daemon = await startDaemon();
  door = await openDoor(daemon);
  keyedDoor = await openDoor(daemon, { apiKey: 'the-api-key' });
});
afterAll(async () => {
  await keyedDoor.close();
  await door.close();
  await daemon[Symbol.asyncDispose]();
});

const agent = (name: string) => connect({ socketPath: daemon.socketPath, env: daemon.env, name });
const transports = {
  '2025-11-25': httpTransport,
  '2026-07-28': httpTransport,
  sse: ({ url }: TestDoor, options = {}) => sseTransport(`${url}/sse`, options),
};

describe.each([...ERAS, 'sse'] as const)('MCP over HTTP, %s', (kind) => {
  const era = kind === '2026-07-28' ? kind : '2025-11-25';
  const unique = (name: string) => `${name}-${kind.slice(0, 4)}`;
  const open = (options: Parameters<typeof httpTransport>[1], at = door) =>
    connectClient(transports[kind](at, options), { era });

  it('serves the toolset network by default, and others by ?tools=', async () => {
    await using network = await open({});
    expect((await network.listTools()).tools.map(({ name }) => name)).toContain('relay_send_message');
    await using relay = await open({ tools: 'relay' });
    expect((await relay.listTools()).tools.map(({ name }) => name)).toContain('relay_send');
  });

  it('sends as the agent named in the header', async () => {
    await using alice = await agent(unique('Alice'));
    await using client = await open({ agent: unique('Remote') });
    const received = alice.messages().next();
    const sent = await callTool(client, 'relay_send_message', { to: unique('Alice'), body: 'Hello' });
    expect(JSON.parse(sent.texts[0] ?? '')).toEqual({ success: true, messageId: sent.data.messageId });
    expect((await received).value).toMatchObject({ from: unique('Remote'), content: 'Hello' });
  });

  it('waits for a reply with progress', async () => {
    await using worker = await agent(unique('Worker'));
    await using client = await open({ agent: unique('Asker'), tools: 'relay' });
    const progress = Promise.withResolvers<{ progress: number }>();
    const question = worker.messages().next();
    const answer = callTool(
      client,
      'relay_send',
      { to: unique('Worker'), message: '?', await_response: true },
      { onprogress: progress.resolve },
    );
    expect((await progress.promise).progress).toBe(3);
    const { value } = await question;
    await worker.send(value?.from ?? '', 'here', { thread: value?.thread ?? '' });
    expect((await answer).texts).toEqual([`Response from ${unique('Worker')}: here`]);
  });

  it('marks messages read when the reply was written', async () => {
    await using alice = await agent(unique('Alice'));
    await using client = await open({ agent: unique('Reader'), tools: 'relay' });
    await callTool(client, 'relay_status');
    await alice.send(unique('Reader'), 'One');
    expect((await callTool(client, 'relay_inbox')).data).toMatchObject({ messages: [{ content: 'One' }] });
    expect((await callTool(client, 'relay_inbox')).texts).toEqual(['No messages in inbox.']);
  });

  it('notifies a client that subscribes to its inbox of a new message', async () => {
    await using alice = await agent(unique('Alice'));
    await using client = await open({ agent: unique('Follower'), tools: 'relay' });
    await callTool(client, 'relay_status');
    const updated = Promise.withResolvers<string>();
    client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      updated.resolve(params.uri),
    );
    if (kind === '2026-07-28') await client.listen({ resourceSubscriptions: ['relay://inbox'] });
    else await client.subscribeResource({ uri: 'relay://inbox' });
    await alice.send(unique('Follower'), 'News');
    expect(await updated.promise).toBe('relay://inbox');
    const { contents } = await client.readResource({ uri: 'relay://inbox' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject([{ content: 'News' }]);
  });

  it('accepts a workspace key, an agent token and the API key', async () => {
    const { key } = JSON.parse((await daemon.cli(['workspace', 'create', unique('space'), '--json'])).stdout);
    const openKeyed = (options: Parameters<typeof httpTransport>[1]) => open(options, keyedDoor);
    await using byKey = await openKeyed({ key, agent: unique('KeyHolder'), tools: 'relay' });
    const status = await callTool(byKey, 'relay_status');
    expect(status.data).toMatchObject({ agentName: unique('KeyHolder'), project: unique('space') });
    const token = `at_${Buffer.alloc(32, kind).toString('base64url')}`;
    await (
      await connect({
        url: `ws://${daemon.http}/ws`,
        workspaceKey: key,
        name: unique('Owner'),
        token,
        env: {},
      })
    ).close();
    await using byToken = await openKeyed({ key: token, tools: 'relay' });
    expect((await callTool(byToken, 'relay_status')).data).toMatchObject({ agentName: unique('Owner') });
    await using byApiKey = await openKeyed({ key: 'the-api-key', agent: unique('ApiUser'), tools: 'relay' });
    expect((await callTool(byApiKey, 'relay_status')).data).toMatchObject({ agentName: unique('ApiUser') });
    await expect(openKeyed({ key: 'wrong' })).rejects.toThrow(/Unauthorized|401/);
    await expect(openKeyed({ agent: unique('Keyless') })).rejects.toThrow(/Unauthorized|401/);
  });
});

it('binds a name used with a key to that key', async () => {
  const { key } = JSON.parse((await daemon.cli(['workspace', 'create', 'bound', '--json'])).stdout);
  const second = JSON.parse(
    (await daemon.cli(['workspace', 'key', 'create', '--project', 'bound', '--json'])).stdout,
  );
  const status = async (bearer: string) => {
    await using client = await connectClient(
      httpTransport(door, { key: bearer, agent: 'Bob', tools: 'relay' }),
    );
    return await callTool(client, 'relay_status');
  };
  expect((await status(key)).data).toMatchObject({ connected: true, agentName: 'Bob' });
  expect((await status(key)).data).toMatchObject({ connected: true, agentName: 'Bob' });
  expect((await status(second.key)).data).toMatchObject({ connected: false, error: { code: 'NameTaken' } });
});

it('requires a name from a client without a session before it sends', async () => {
  await using client = await connectClient(httpTransport(door), { era: '2026-07-28' });
  expect((await callTool(client, 'relay_list_agents')).isError).toBe(false);
  const refused = await callTool(client, 'relay_send_message', { to: '*', body: 'x' });
  expect(refused.data).toMatchObject({ error: { code: 'AgentNameRequired' } });
  expect(refused.texts[0]).toContain('x-relay-agent');
});

it('lets a session without a name register one', async () => {
  await using client = await connectClient(httpTransport(door, { tools: 'workspace' }));
  const registered = await callTool(client, 'register_agent', { name: 'Latecomer' });
  expect(registered.data).toMatchObject({ name: 'Latecomer', workspace: daemon.project });
  await using named = await connectClient(httpTransport(door, { tools: 'workspace', agent: 'Fixed' }));
  const refused = await callTool(named, 'register_agent', { name: 'Other' });
  expect(refused.data).toMatchObject({ error: { code: 'Forbidden' } });
});

it('lets an agent token register as its own agent only', async () => {
  await (await connect({ socketPath: daemon.socketPath, env: daemon.env, name: 'Holder' })).close();
  await using owner = await connect({ socketPath: daemon.socketPath, env: daemon.env });
  const { token } = await owner.request('TOKEN_ROTATE', { agent: 'Holder' });
  await using client = await connectClient(httpTransport(door, { tools: 'workspace', key: token }));
  const registered = await callTool(client, 'register_agent', { name: 'holder' });
  expect(registered.data).toMatchObject({ name: 'Holder' });
  const refused = await callTool(client, 'register_agent', { name: 'Other' });
  expect(refused.data).toMatchObject({ error: { code: 'Forbidden' } });
});
