import { connect } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { callTool, connectStdio, type TestClient } from '../kit/clients.ts';

// Claude and Codex show their model the structure of a result and not its text: all it needs has to be there.

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ settings: { idleAfterMs: 100 } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const agent = (name: string) => connect({ socketPath: daemon.socketPath, env: daemon.env, name });
const open = (tools: string, name: string): Promise<TestClient> =>
  connectStdio(daemon, { args: ['serve', '--tools', tools], env: { RELAY_AGENT_NAME: name } });

it.each([
  ['relay', 'relay_inbox', /^relay_send\(to="Ann", thread="red", message="…"\)$/],
  ['network', 'relay_get_messages', /^relay_send_message\(to="Ann", thread="red", body="…"\)$/],
  ['workspace', 'check_inbox', /^reply_to_thread\(message_id="msg_\w+", text="…"\)$/],
])('%s: a message has its sender, person or agent, and how to answer', async (tools, inbox, answer) => {
  const name = `Reader-${tools}`;
  await using client = await open(tools, name);
  await callTool(client, inbox);
  await using ann = await agent('Ann');
  await ann.send(name, 'Which tests fail?', { thread: 'red' });
  // The user's own name is a person.
  await daemon.cli(['send', name, 'Please wait for me.']);
  const messages = (await callTool(client, inbox)).data.messages as Array<Record<string, unknown>>;
  expect(messages).toMatchObject([
    { from: 'Ann', fromType: 'agent', thread: 'red', answer: expect.stringMatching(answer) },
    { fromType: 'human', answer: expect.any(String) },
  ]);
});

it.each([
  ['relay', 'relay_send', 'message'],
  ['network', 'relay_send_message', 'body'],
  ['workspace', 'send_dm', 'text'],
])('%s: tells the sender who is offline and who is idle', async (tools, name, text) => {
  await (await agent(`Away-${tools}`)).close();
  await using quiet = await agent(`Quiet-${tools}`);
  await using client = await open(tools, `Sender-${tools}`);
  const send = (to: string) => callTool(client, name, { to, [text]: `One for ${to}` });
  expect((await send(`Away-${tools}`)).data.note).toBe(
    `Offline: Away-${tools}. The message is delivered when it returns.`,
  );
  await using owner = await connect({ socketPath: daemon.socketPath, env: daemon.env });
  const status = async () => (await owner.who()).find(({ name }) => name === quiet.name)?.status;
  await expect.poll(status).toBe('idle');
  const note = `Idle: Quiet-${tools}. It sees the message when it next checks its inbox.`;
  expect((await send(`Quiet-${tools}`)).data.note).toBe(note);
  const { stdout } = await daemon.cli(['send', `Quiet-${tools}`, 'One more', '--as', `Sender-${tools}`]);
  expect(stdout.split('\n')).toEqual([expect.stringMatching(/^Message sent to /), note, '']);
});

it.each([
  ['relay', 'relay_send', { to: 'Zed', message: 'x' }, 'relay_who'],
  ['network', 'relay_send_message', { to: '#nowhere', body: 'x' }, 'relay_join_channel'],
  ['workspace', 'send_dm', { to: 'Zed', text: 'x' }, 'list_agents'],
])('%s: an error has its code, and a next step that names a tool', async (tools, name, args, tool) => {
  await using client = await open(tools, `Failing-${tools}`);
  const { data, texts } = await callTool(client, name, args);
  const { code, next } = data.error as { code: string; next: string };
  expect(next).toContain(tool);
  expect(next).not.toContain('agent-relay');
  expect(texts[0]).toContain(`[${code}] Next: ${next}`);
});

it('marks the agent of the session in lists', async () => {
  for (const [tools, list] of [
    ['relay', 'relay_who'],
    ['network', 'relay_list_agents'],
    ['workspace', 'list_agents'],
  ] as const) {
    await using client = await open(tools, 'Self');
    const { agents } = (await callTool(client, list)).data as {
      agents: Array<{ name: string; you?: boolean }>;
    };
    expect(agents.filter(({ you }) => you).map(({ name }) => name)).toEqual(['Self']);
  }
});
