import { connect } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { callTool, connectStdio, ERAS } from '../kit/clients.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

it('finds the local daemon with only RELAY_WORKSPACE_KEY, also after a restart', async () => {
  await using other = await startDaemon({ settings: { http: { enabled: false } } });
  // With several projects nothing but the key says which one is meant.
  for (const name of ['one', 'two']) await other.cli(['workspace', 'create', name]);
  const { key } = JSON.parse((await other.cli(['workspace', 'create', 'lab', '--json'])).stdout);
  const env = { RELAY_WORKSPACE_KEY: key, RELAY_AGENT_NAME: 'Keyed' };
  await using client = await connectStdio(other, { env, args: ['serve', '--tools', 'workspace'] });
  const agents = async () => (await callTool(client, 'list_agents')).data.agents;
  expect(await agents()).toMatchObject([{ name: 'Keyed' }]);
  expect((await other.cli(['who', '--project', 'lab', '--json'])).stdout).toContain('"Keyed"');
  await other.kill9();
  await other.start();
  expect(await agents()).toMatchObject([{ name: 'Keyed' }]);
});

it('creates a workspace from a directory that is in no project, while several run', async () => {
  await using other = await startDaemon();
  for (const name of ['one', 'two']) await other.cli(['workspace', 'create', name]);
  const outside = { env: other.env, projectDirectory: other.directory };
  await using client = await connectStdio(outside, { args: ['serve', '--tools', 'workspace'] });
  const { data } = await callTool(client, 'create_workspace', { name: 'lab' });
  expect(data).toMatchObject({ name: 'lab', workspace_key: expect.any(String) });
});

describe.each(ERAS)('the workspace toolset over stdio, revision %s', (era) => {
  const unique = (name: string) => `${name}-${era.slice(0, 4)}`;
  const open = (env: NodeJS.ProcessEnv = {}) =>
    connectStdio(daemon, { era, env, args: ['serve', '--tools', 'workspace'] });

  it('registers an agent that others can write to, the same after a restart', async () => {
    const name = unique('Planner');
    {
      await using client = await open();
      const metadata = { task: 'plan', capabilities: ['planning'] };
      const { data } = await callTool(client, 'register_agent', { name, type: 'agent', metadata });
      expect(data).toEqual({ name, workspace: daemon.project, type: 'agent', unread: 0 });
      const listed = await callTool(client, 'list_agents');
      expect(listed.data.agents).toEqual(
        expect.arrayContaining([expect.objectContaining({ name, status: 'active', task: 'plan' })]),
      );
    }
    await using alice = await connect({ socketPath: daemon.socketPath, env: daemon.env, name: 'Alice' });
    await alice.send(name, 'while you were away');
    await using again = await open();
    expect((await callTool(again, 'register_agent', { name })).data).toMatchObject({ name, unread: 1 });
  });

  it('registers a name and a handle, and both reach the agent', async () => {
    const [name, handle] = [unique('BuildPlanner'), `@${unique('bp')}`];
    await using planner = await open();
    const registered = await callTool(planner, 'register_agent', { name, handle });
    expect(registered.data).toMatchObject({ name, handle: handle.slice(1) });
    await using bob = await open({ RELAY_AGENT_NAME: `@${unique('Robert')}` });
    for (const to of [handle, name, `@${name}`])
      expect((await callTool(bob, 'send_dm', { to, text: `for ${to}` })).isError).toBe(false);
    const { messages } = (await callTool(planner, 'check_inbox')).data;
    expect(messages).toMatchObject([{ from: unique('Robert') }, {}, {}]);
    const listed = await callTool(bob, 'list_agents');
    expect(listed.data.agents).toContainEqual(expect.objectContaining({ name, handle: handle.slice(1) }));
    const taken = await callTool(bob, 'register_agent', { name: unique('Other'), handle });
    expect(taken.data).toMatchObject({ error: { code: 'NameTaken' } });
  });

  it('creates a channel that an agent joins before it exists', async () => {
    await using client = await open({ RELAY_AGENT_NAME: unique('Joiner') });
    const channel = `#${unique('planning')}`;
    const joined = await callTool(client, 'join_channel', { channel });
    expect(joined.data).toMatchObject({ channel: { name: channel } });
    expect((await callTool(client, 'join_channel', { channel })).isError).toBe(false);
    expect((await callTool(client, 'post_message', { channel, text: 'Ready' })).isError).toBe(false);
  });

  it('sends direct messages; checking the inbox leaves them unread', async () => {
    await using bob = await open({ RELAY_AGENT_NAME: unique('Bob') });
    await callTool(bob, 'list_agents');
    await using amy = await open({ RELAY_AGENT_NAME: unique('Amy') });
    const sent = await callTool(amy, 'send_dm', { to: unique('Bob'), text: 'Look here', mode: 'steer' });
    expect(sent.data).toMatchObject({ to: unique('Bob'), online: true });
    const message_id = sent.data.message_id as string;
    for (let i = 0; i < 2; i++) {
      expect((await callTool(bob, 'check_inbox')).data).toMatchObject({
        unread: 1,
        messages: [{ id: message_id, content: 'Look here', importance: 'urgent' }],
      });
    }
    expect((await callTool(bob, 'mark_message_read', { message_id })).data).toEqual({
      message_id,
      read: true,
    });
    expect((await callTool(bob, 'check_inbox')).data).toEqual({ unread: 0, messages: [] });
    const missing = await callTool(bob, 'mark_message_read', { message_id: 'msg_none' });
    expect(missing.data).toMatchObject({ error: { code: 'MessageNotFound' } });
  });

  it('creates a workspace and joins it by its key', async () => {
    await using client = await open();
    const created = await callTool(client, 'create_workspace', { name: unique('lab') });
    expect(created.data).toMatchObject({ name: unique('lab'), workspace_key: expect.any(String) });
    const joined = await callTool(client, 'set_workspace_key', { workspace_key: created.data.workspace_key });
    expect(joined.data).toMatchObject({ workspace: unique('lab') });
    const { data } = await callTool(client, 'list_agents');
    expect(data.agents).toHaveLength(1);
    const wrong = await callTool(client, 'set_workspace_key', { workspace_key: 'wk_wrong' });
    expect(wrong.data).toMatchObject({ error: { code: 'Unauthorized' } });
    // A key that does not work changes nothing.
    expect((await callTool(client, 'list_agents')).data.agents).toHaveLength(1);
  });

  it('starts in the workspace of RELAY_WORKSPACE_KEY, with a lasting name', async () => {
    const key = JSON.parse((await daemon.cli(['workspace', 'create', unique('far'), '--json'])).stdout).key;
    const env = {
      RELAY_WORKSPACE_KEY: key,
      RELAY_URL: `http://${daemon.http}`,
      RELAY_AGENT_NAME: unique('Remote'),
    };
    for (let i = 0; i < 2; i++) {
      await using client = await open(env);
      const { data } = await callTool(client, 'list_agents');
      expect(data.agents).toMatchObject([{ name: unique('Remote') }]);
    }
  });
});
