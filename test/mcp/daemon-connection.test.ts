import { connect } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { createSandbox, startDaemon } from '../kit/daemon.ts';
import { callTool, connectStdio, ERAS } from './kit/clients.ts';

const START_IT = 'Next: Tell your user: Start it with: agent-relay daemon start';

// Each has a daemon of its own, and mostly waits.
describe.each(ERAS)('an MCP server and its daemon, revision %s', { concurrent: true }, (era) => {
  it('stays up without a daemon, and every tool says how to start it', async () => {
    await using sandbox = await createSandbox();
    const args = ['serve', '--tools', 'relay,workspace'];
    await using client = await connectStdio(sandbox, { era, args });
    const { tools } = await client.listTools();
    for (const { name } of tools) {
      const { texts } = await callTool(client, name, ARGUMENTS[name] ?? {});
      expect(texts.join(' '), name).toContain('agent-relay daemon start');
    }
    // A key is shown to no daemon but this user's, or the one that is named.
    const { texts } = await callTool(client, 'set_workspace_key', { workspace_key: 'rk_x' });
    expect(texts[0]).toContain('set RELAY_URL');
    await using keyed = await connectStdio(sandbox, { era, env: { RELAY_WORKSPACE_KEY: 'rk_x' } });
    expect((await callTool(keyed, 'relay_who')).texts[0]).toContain('set RELAY_URL');
    const send = await callTool(client, 'relay_send', { to: 'Alice', message: 'x' });
    expect(send).toMatchObject({
      isError: true,
      data: { error: { code: 'DaemonNotRunning', retryable: true } },
    });
    expect(send.texts[0]).toContain(START_IT);
    const status = await callTool(client, 'relay_status');
    expect(status.texts[0]).toContain('- Connected: No');
  });

  it('connects by itself when the daemon starts', async () => {
    await using daemon = await startDaemon();
    await daemon.stop();
    await using client = await connectStdio(daemon, { era, env: { RELAY_AGENT_NAME: 'Patient' } });
    expect((await callTool(client, 'relay_who')).isError).toBe(true);
    await daemon.start();
    await using observer = await connect({ socketPath: daemon.socketPath, env: daemon.env });
    const online = new Promise<string>((resolve) =>
      observer.on('agent.online', ({ agent }) => resolve(agent)),
    );
    await observer.watch();
    const known = (await observer.who()).map(({ name }) => name);
    expect(known.includes('Patient') ? 'Patient' : await online).toBe('Patient');
    expect((await callTool(client, 'relay_who')).texts[0]).toContain('- Patient (');
  });

  it('reconnects to a restarted daemon, and loses nothing', async () => {
    await using daemon = await startDaemon();
    await using client = await connectStdio(daemon, { era, env: { RELAY_AGENT_NAME: 'Keeper' } });
    await (await connect({ socketPath: daemon.socketPath, env: daemon.env, name: 'Alice' })).close();
    await callTool(client, 'relay_send', { to: 'Alice', message: 'before' });
    await daemon.kill9();
    // The call is made while there is no daemon; it waits for a restart rather than fail at once.
    const during = callTool(client, 'relay_send', { to: 'Alice', message: 'during' });
    await daemon.start();
    expect((await during).texts[0]).toBe('Message sent to Alice');
    await callTool(client, 'relay_send', { to: 'Alice', message: 'after' });
    await using alice = await connect({ socketPath: daemon.socketPath, env: daemon.env, name: 'Alice' });
    const { messages } = await alice.inbox();
    expect(messages.map(({ content }) => content)).toEqual(['before', 'during', 'after']);
  });

  it.each([
    [{ RELAY_PROJECT: 'dmeo' }, 'ProjectNotFound', 'Did you mean demo?'],
    [{ RELAY_URL: 'nowhere' }, 'InvalidRequest', '"nowhere" is not the address of a daemon.'],
  ])('reports an invalid location: %j', async (env, code, complaint) => {
    await using daemon = await startDaemon();
    await using client = await connectStdio(daemon, { era, env });
    const failed = await callTool(client, 'relay_who');
    expect(failed).toMatchObject({ isError: true, data: { error: { code } } });
    expect(failed.texts[0]).toContain(complaint);
  });

  it('reports that the daemon does not come back', async () => {
    await using daemon = await startDaemon();
    await using client = await connectStdio(daemon, { era });
    await callTool(client, 'relay_who');
    await daemon.kill9();
    const failed = await callTool(client, 'relay_who');
    expect(failed.isError).toBe(true);
    // Which of the two depends on whether the request was on its way already.
    expect(['DaemonNotRunning', 'Connection']).toContain((failed.data.error as { code: string }).code);
    expect(failed.texts[0]).toContain(START_IT);
  });

  it('keeps waiting for a reply while the daemon restarts', async () => {
    await using daemon = await startDaemon();
    const options = { socketPath: daemon.socketPath, env: daemon.env, name: 'Worker' };
    await using worker = await connect(options);
    await using client = await connectStdio(daemon, { era });
    const asked = worker.messages().next();
    const answer = callTool(client, 'relay_send', { to: 'Worker', message: '?', await_response: true });
    const { value: question } = await asked;
    await daemon.kill9();
    await daemon.start();
    await worker.send(question?.from ?? '', 'still here', { thread: question?.thread ?? '' });
    expect((await answer).texts[0]).toBe('Response from Worker: still here');
  });
});

/** Arguments that pass the check of each tool, so that it gets as far as the daemon. */
const ARGUMENTS: Record<string, Record<string, unknown>> = {
  relay_send: { to: 'Alice', message: 'x' },
  relay_spawn: { name: 'Worker', cli: 'claude', task: 'x' },
  relay_release: { name: 'Worker' },
  add_agent: { name: 'Worker', cli: 'claude', task: 'x' },
  remove_agent: { name: 'Worker' },
  spawn: { name: 'Worker', cli: 'claude' },
  submit_result: { data: 'x' },
  register_agent: { name: 'Alice' },
  create_workspace: { name: 'w' },
  set_workspace_key: { workspace_key: 'rk_x' },
  send_dm: { to: 'Alice', text: 'x' },
  mark_message_read: { message_id: 'msg_x' },
  create_channel: { name: 'x' },
  join_channel: { channel: 'x' },
  leave_channel: { channel: 'x' },
  invite_to_channel: { channel: 'x', agent: 'Alice' },
  set_channel_topic: { channel: 'x', topic: 'y' },
  archive_channel: { channel: 'x' },
  post_message: { channel: 'x', text: 'y' },
  send_group_dm: { participants: ['Alice', 'Bob'], text: 'y' },
  reply_to_thread: { message_id: 'msg_x', text: 'y' },
  get_message_thread: { message_id: 'msg_x' },
  list_messages: { channel: 'x' },
  search_messages: { query: 'x' },
  add_reaction: { message_id: 'msg_x', emoji: '👍' },
  remove_reaction: { message_id: 'msg_x', emoji: '👍' },
  get_message_readers: { message_id: 'msg_x' },
};
