import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { callTool, connectClient, connectStdio, ERAS, MCP_PROGRAM } from './kit/clients.ts';
import { httpTransport, openDoor } from './kit/http-door.ts';

let daemon: TestDaemon;
const open = new AsyncDisposableStack();
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(async () => {
  await open.disposeAsync();
  await daemon[Symbol.asyncDispose]();
});

describe.each(ERAS)('the instructions over stdio, revision %s', (era) => {
  it('begin with the name of the agent, and say when to check messages', async () => {
    const env = { RELAY_AGENT_NAME: `Ina-${era.slice(0, 4)}` };
    await using named = await connectStdio(daemon, { era, env });
    expect(named.getInstructions()).toMatch(new RegExp(`^You are ${env.RELAY_AGENT_NAME}\\. `));
    expect(named.getInstructions()).toMatch(/relay_inbox when you start, before and after each task/);
    expect(named.getInstructions()).not.toContain('Alice');
  });

  it('or the first result have the name that a client without one was given', async () => {
    const name = `Nameless-${era.slice(0, 4)}`;
    for (const expected of [name, `${name}-2`].map((each) => each.toLowerCase())) {
      const client = open.use(await connectStdio(daemon, { era, name }));
      const { hint } = (await callTool(client, 'relay_who')).data;
      const told = era === '2025-11-25' ? client.getInstructions() : hint;
      expect(told).toMatch(new RegExp(`^You are ${expected}\\.`));
      expect((await callTool(client, 'relay_status')).data.agentName).toBe(expected);
    }
  });
});

it('leave the name to the first result if it is not known yet', async () => {
  await using late = await startDaemon();
  await late.stop();
  await using client = await connectStdio(late, { name: 'late-client' });
  expect(client.getInstructions()).toMatch(/^The results of relay tools tell you your name\./);
  await late.start();
  const first = await callTool(client, 'relay_who');
  expect(first.data.hint).toBe('You are late-client.');
  expect(first.texts).toContain('You are late-client.');
  expect((await callTool(client, 'relay_who')).data).not.toHaveProperty('hint');
});

it('leave it to the first result even if that is an error', async () => {
  await using late = await startDaemon();
  await late.stop();
  await using client = await connectStdio(late, { name: 'late-client' });
  await late.start();
  const failed = await callTool(client, 'relay_send', { to: 'Zed', message: 'Hello' });
  expect(failed).toMatchObject({
    isError: true,
    data: { error: { code: 'AgentNotFound' }, hint: 'You are late-client.' },
  });
  expect(failed.texts).toContain('You are late-client.');
  expect((await callTool(client, 'relay_who')).data).not.toHaveProperty('hint');
});

it('have the name that a client over HTTP sends, or leave it to the first result', async () => {
  await using door = await openDoor(daemon);
  await using named = await connectClient(httpTransport(door, { tools: 'workspace', agent: 'Hanna' }));
  expect(named.getInstructions()).toMatch(/^You are Hanna\. /);
  expect((await callTool(named, 'list_agents')).data).not.toHaveProperty('hint');
  await using unnamed = await connectClient(httpTransport(door, { tools: 'workspace' }), {
    name: 'web-client',
  });
  expect((await callTool(unnamed, 'list_agents')).data.hint).toBe('You are web-client.');
});

it('tell a session with a role when to read and post, and nothing about other roles', async () => {
  const env = { RELAY_ROLES: 'pm,dev-a' };
  await using client = await connectStdio(daemon, {
    args: ['serve', '--tools', 'roles'],
    env,
    name: 'role-client',
  });
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['relay_protocol']);
  const guide = JSON.stringify(await client.getPrompt({ name: 'relay_protocol' }));
  for (const text of [client.getInstructions() ?? '', guide]) {
    expect(text).toMatch(/roles:? pm, dev-a/);
    expect(text).toMatch(/After any status, question or directive that you write, call post_message/);
    expect(text).not.toMatch(/Alice|#backend/);
  }
  await callTool(client, 'post_message', {
    from: 'pm',
    to: 'dev-a',
    kind: 'directive',
    body: 'Begin with A1',
  });
  // The role is the agent; the session has none of its own.
  expect((await daemon.cli(['who', '--all'])).stdout).not.toContain('role-client');
});

it.each(['roles,relay', 'relay,roles', 'network,roles'])(
  'with %s are those of the agent and those of the role, and so are the prompts',
  async (tools) => {
    const env = { RELAY_AGENT_NAME: `Both-${tools.replace(',', '-')}`, RELAY_ROLES: 'pm,dev-a' };
    const send = tools.includes('network') ? 'relay_send_message' : 'relay_send';
    await using client = await connectStdio(daemon, { args: ['serve', '--tools', tools], env });
    const guide = JSON.stringify(await client.getPrompt({ name: 'relay_protocol' }));
    for (const text of [client.getInstructions() ?? '', guide]) {
      expect(text).toContain(`${send}(to=`);
      expect(text).toMatch(/roles:? pm, dev-a/);
      expect(text).toMatch(/After any status, question or directive that you write, call post_message/);
    }
    expect(client.getInstructions()).toMatch(new RegExp(`^You are ${env.RELAY_AGENT_NAME}\\. `));
    // A role can write to roles only: what concerns channels needs the tools of the agent.
    for (const [name, args] of [
      ['coordinate_task', { task: 'Ship it', agents: 'pm' }],
      ['status_report', {}],
    ] as const) {
      const prompt = JSON.stringify(await client.getPrompt({ name, arguments: args }));
      expect(prompt).toContain(`${send}(to=\\"#general\\"`);
      expect(prompt).not.toContain('post_message');
    }
  },
);

it('are served without a daemon, while one line on standard error says how to start it', async () => {
  await using sandbox = await createSandbox();
  const server = spawn(process.execPath, [MCP_PROGRAM, 'serve'], {
    env: sandbox.env,
    cwd: sandbox.projectDirectory,
  });
  const complaints: string[] = [];
  createInterface(server.stderr).on('line', (line) => complaints.push(line));
  const replies = createInterface(server.stdout);
  const clientInfo = { name: 'alone', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const call = { name: 'relay_status', arguments: {} };
  for (const request of [
    { id: 1, method: 'initialize', params },
    { id: 2, method: 'tools/call', params: call },
  ]) {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`);
    await once(replies, 'line');
  }
  server.stdin.end();
  await once(server, 'close');
  expect(complaints).toEqual([
    expect.stringMatching(/^agent-relay-mcp: .+ Start it with: agent-relay daemon start$/),
  ]);
});
