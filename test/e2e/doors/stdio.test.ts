import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTerminals } from '../../kit/cli.ts';
import { createSandbox, startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { callTool, ERAS } from '../../mcp/kit/clients.ts';
import { connectToCommand, toolNames } from './kit.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

describe.each(ERAS)('MCP on standard input and output, revision %s', (era) => {
  it.each([
    { args: ['mcp'], tool: 'register_agent', send: ['send_dm', 'text'] },
    { args: ['mcp', 'serve'], tool: 'relay_status', send: ['relay_send', 'message'] },
    { args: ['mcp-server'], tool: 'relay_list_agents', send: ['relay_send_message', 'body'] },
  ])('is served by $args with its own tools', async ({ args, tool, send: [send = '', body = ''] }) => {
    const name = `Sender-${args.join('-')}-${era.slice(0, 4)}`;
    await using recipient = await connect({
      socketPath: daemon.socketPath,
      env: daemon.env,
      name: `For-${name}`,
    });
    await using server = await connectToCommand(daemon, args, { era, env: { RELAY_AGENT_NAME: name } });
    expect(await toolNames(server.client)).toContain(tool);
    const received = recipient.messages().next();
    expect(await callTool(server.client, send, { to: `For-${name}`, [body]: 'Hello' })).toMatchObject({
      isError: false,
    });
    expect((await received).value).toMatchObject({ from: name, content: 'Hello' });
    expect(server.garbage).toEqual([]);
  });
});

describe('the toolsets of a command', () => {
  it('are chosen with --tools, else with RELAY_TOOLS', async () => {
    await using byVariable = await connectToCommand(daemon, ['mcp'], { env: { RELAY_TOOLS: 'roles' } });
    expect(await toolNames(byVariable.client)).toContain('read_messages');
    await using byFlag = await connectToCommand(daemon, ['mcp-server', '--tools', 'relay,network'], {
      env: { RELAY_TOOLS: 'roles' },
    });
    const tools = await toolNames(byFlag.client);
    expect(tools).toEqual(expect.arrayContaining(['relay_send', 'relay_send_message']));
    expect(tools).not.toContain('read_messages');
  });

  it.each([
    ['mcp', '--tools', 'rely'],
    ['mcp', 'serve', '--tools', 'rely'],
    ['mcp-server', '--tools', 'rely'],
    ['mcp', '--tools', 'roles,workspace'],
  ])('are refused by %s %s %s, like every wrong option', async (...args) => {
    const refused = await daemon.cli(args);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    const lines = args.includes('rely')
      ? 'error: There is no toolset "rely".\nnext: Choose from: relay, network, workspace, actions, worker, roles, gateway.\n'
      : 'error: The toolsets "roles" and "workspace" both have a tool post_message.\nnext: Leave one of the two out of --tools or RELAY_TOOLS.\n';
    expect(refused.stderr).toBe(lines);
  });

  it('are refused in RELAY_TOOLS too', async () => {
    const env = { ...daemon.env, RELAY_TOOLS: 'rely' };
    expect(await daemon.cli(['mcp'], { env })).toMatchObject({ code: 2, stdout: '' });
    expect((await daemon.cli(['mcp-server'], { env })).stderr).toMatch(/^error: .*"rely"\.\nnext: .*\n$/);
  });
});

it('finds the daemon of RELAY_PROJECT_ROOT, or says how to start one', async () => {
  await using elsewhere = await createSandbox();
  const env = { RELAY_PROJECT_ROOT: daemon.projectDirectory, RELAY_DATA_DIR: daemon.dataDirectory };
  await using there = await connectToCommand(elsewhere, ['mcp-server'], { env });
  expect((await callTool(there.client, 'relay_list_agents')).isError).toBe(false);
  await using nowhere = await connectToCommand(elsewhere, ['mcp-server']);
  const { texts, isError } = await callTool(nowhere.client, 'relay_list_agents');
  expect(isError).toBe(true);
  expect(texts[0]).toContain('agent-relay daemon start');
});

describe('agent-relay mcp install', () => {
  it('accepts several clients, and suggests a command for an unknown word', async () => {
    await using sandbox = await createSandbox();
    const install = await sandbox.cli(['mcp', 'install', '-e', 'claude', '-e', 'cursor,codex', '--dry-run']);
    for (const title of ['Claude Code: ', 'Cursor: ', 'Codex: ']) expect(install.stdout).toContain(title);
    const mistyped = await sandbox.cli(['mcp', 'instal']);
    expect(mistyped).toMatchObject({ code: 2, stdout: '' });
    expect(mistyped.stderr).toMatch(/^error: There is no command "mcp instal"\. Did you mean install\?\n/);
  });

  it('adds the server, shows it first with --dry-run, and removes it', async () => {
    await using sandbox = await createSandbox();
    const file = join(sandbox.projectDirectory, '.mcp.json');
    const shown = await sandbox.cli(['mcp', 'install', '-e', 'claude', '--dry-run']);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('not written') });
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    const args = ['mcp', 'install', '-e', 'claude', '--tools', 'network', '--name', '@Carol'];
    expect(await sandbox.cli(args)).toMatchObject({ code: 0 });
    const entry = JSON.parse(await readFile(file, 'utf8')).mcpServers['agent-relay'];
    expect(entry.args).toEqual(expect.arrayContaining(['serve', '--tools', 'network']));
    expect(entry.env).toMatchObject({ RELAY_AGENT_NAME: 'Carol' });
    expect(await sandbox.cli(['mcp', 'uninstall', '-e', 'claude'])).toMatchObject({ code: 0 });
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });

  it('lists the known clients for an unknown one', async () => {
    const refused = await daemon.cli(['mcp', 'install', '-e', 'emacs']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('opencode') });
  });
});

describe('agent-relay up --mcp', () => {
  it('is the daemon and an MCP server, and ends with its client', async () => {
    await using sandbox = await createSandbox();
    const { client, saidAside, garbage } = await connectToCommand(sandbox, ['up', '--mcp'], {
      env: { RELAY_AGENT_NAME: 'Editor' },
    });
    expect(await toolNames(client)).toContain('relay_send_message');
    expect(await sandbox.cli(['send', 'Editor', 'Are you there?', '--as', 'Alice'])).toMatchObject({
      code: 0,
    });
    const sent = await callTool(client, 'relay_send_message', { to: 'Alice', body: 'I am.' });
    expect(sent.isError).toBe(false);
    expect((await sandbox.cli(['inbox', '--as', 'Alice'])).stdout).toContain('I am.');
    await client.close();
    expect(garbage).toEqual([]);
    expect(await saidAside).toMatch(/Agent Relay.* is up[\s\S]*daemon stopped/);
    expect((await sandbox.cli(['daemon', 'status'])).code).toBe(3);
  });

  it('stops cleanly, whether its client reads or not', async () => {
    await using sandbox = await createSandbox();
    await using running = sandbox.startCli(['up'], { env: { RELAY_MCP_ENABLED: 'true' } });
    await running.until(/Stop it with Ctrl-C/);
    running.child.kill('SIGTERM');
    expect(await running.result).toMatchObject({ code: 0, stdout: '' });
  });

  it('serves its client through a daemon that already runs and keeps running', async () => {
    const { client, saidAside } = await connectToCommand(daemon, ['up', '--mcp', '--tools', 'relay']);
    expect((await callTool(client, 'relay_status')).data).toMatchObject({ project: daemon.project });
    await client.close();
    expect(await saidAside).toContain('The daemon is already running');
    expect((await daemon.cli(['daemon', 'status'])).code).toBe(0);
  });

  it('exits for unknown toolsets', async () => {
    await using sandbox = await createSandbox();
    const refused = await sandbox.cli(['up', '--mcp', '--tools', 'rely']);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Choose from') });
  });
});

describe('a person who starts a server for MCP clients by hand', () => {
  it.skipIf(!hasTerminals).each([
    [['mcp'], /mcp install/],
    [['mcp-server'], /mcp install/],
    [['mcp', '--tools', 'relay,gateway'], /mcp install/],
    [['gateway'], /--http/],
  ])('reads in the terminal why nothing happens: %j', async (args, hint) => {
    await using running = daemon.startCli(args, { terminal: true });
    await running.until(hint);
  });
});
