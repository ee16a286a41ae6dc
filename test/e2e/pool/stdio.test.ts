import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { connect } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { scripted, tool } from '../../gateway/kit/gateway-kit.ts';
import { processesIn } from '../../gateway/kit/processes.ts';
import { SDK_SERVER } from '../../gateway/kit/sdk-server.ts';
import { PROGRAM } from '../../kit/cli.ts';
import { createSandbox } from '../../kit/daemon.ts';
import { eventually } from '../../kit/eventually.ts';
import { callTool, ERAS, MCP_PROGRAM } from '../../mcp/kit/clients.ts';
import { connectToCommand, toolNames } from '../doors/kit.ts';
import { startPool } from './kit.ts';

const GATEWAY = ['mcp', '--tools', 'gateway'];
const BOTH = ['mcp', '--tools', 'relay,gateway'];

describe.each(ERAS)('agent-relay mcp --tools gateway, %s', (era) => {
  it('serves the relay and the MCP servers of the daemon', async () => {
    await using daemon = await startPool((pathOf) => [
      scripted('one', { tools: [tool('relay_send'), tool('echo')], journal: pathOf('journal') }),
      {
        name: 'own',
        command: process.execPath,
        args: [SDK_SERVER, 'legacy'],
        scope: 'session',
      },
    ]);
    await using alice = await connect({ project: 'demo', env: daemon.env, name: 'Alice' });
    await using ann = await connectToCommand(daemon, BOTH, {
      era,
      name: 'claude-code',
      env: { RELAY_AGENT_NAME: 'Ann' },
      options: { capabilities: { elicitation: { form: {} } } },
    });
    ann.client.setRequestHandler('elicitation/create', () => ({
      action: 'accept',
      content: { name: 'Bob' },
    }));
    const received = alice.messages().next();
    await callTool(ann.client, 'relay_send', { to: 'Alice', message: 'Hello' });
    expect((await received).value).toMatchObject({ from: 'Ann', content: 'Hello' });
    expect((await alice.who()).find(({ name }) => name === 'Ann')).toMatchObject({ cli: 'claude' });

    await using bob = await connectToCommand(daemon, GATEWAY, { era });
    expect(await toolNames(bob.client)).toEqual(
      expect.arrayContaining(['relay_get_status', 'relay_send', 'echo', 'count']),
    );
    for (const { client } of [ann, bob]) {
      expect((await callTool(client, 'echo')).texts).toEqual(['echo {}']);
      expect((await callTool(client, 'count')).texts).toEqual(['1']);
    }
    expect(processesIn(await daemon.journal('journal'))).toHaveLength(1);
    expect((await callTool(ann.client, 'push_ask')).texts).toEqual(['accept {"name":"Bob"}']);
    expect([...ann.garbage, ...bob.garbage]).toEqual([]);
  });

  it('answers without a daemon and says how to start it; its tools appear when it starts', async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })]);
    await daemon.cli(['daemon', 'stop']);
    await using early = await connectToCommand(daemon, GATEWAY, { era });
    expect(await toolNames(early.client)).toContain('relay_get_status');
    const lost = await callTool(early.client, 'relay_get_status');
    expect(lost).toMatchObject({ isError: true, data: { error: { code: 'DaemonNotRunning' } } });
    const next = 'Tell your user: Start it with: agent-relay daemon start';
    expect(lost.data).toMatchObject({ error: { next } });
    expect(lost.texts.join()).toContain(`[DaemonNotRunning] Next: ${next}`);

    const changed = Promise.withResolvers<void>();
    early.client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
    if (era === '2026-07-28') await early.client.listen({ toolsListChanged: true });
    await daemon.restart();
    await changed.promise;
    expect(await toolNames(early.client)).toContain('echo');
    await daemon.cli(['daemon', 'stop']);
    await daemon.restart();
    await eventually(async () => !(await callTool(early.client, 'echo')).isError);
  });
});

describe('the toolset gateway on standard input and output', () => {
  it('reports that the daemon has no MCP servers', async () => {
    await using sandbox = await createSandbox();
    await sandbox.cli(['daemon', 'start']);
    await using gateway = await connectToCommand(sandbox, GATEWAY);
    const refused = await callTool(gateway.client, 'relay_list_servers');
    expect(refused.texts.join()).toMatch(
      /\[BackendUnavailable\] Next: Tell your user: .*agent-relay daemon restart --mcp-servers FILE/,
    );
    await gateway.client.close();
    expect((await gateway.saidAside).split('\n')).toEqual([
      expect.stringMatching(/^agent-relay-mcp: The daemon has no MCP servers configured\. /),
      '',
    ]);
  });

  it('names a tool as the next step if there is one', async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })]);
    await using gateway = await connectToCommand(daemon, GATEWAY);
    const unknown = await callTool(gateway.client, 'relay_reconnect_server', { name: 'deed' });
    const next = 'List the servers with relay_list_servers.';
    expect(unknown.data).toMatchObject({ error: { code: 'BackendNotFound', next } });
    expect(unknown.texts.join()).toContain(`[BackendNotFound] Next: ${next}`);
  });

  it.each([GATEWAY, BOTH])(
    '%s %s %s: reports once on standard error that no daemon runs',
    async (...args) => {
      await using sandbox = await createSandbox();
      await using gateway = await connectToCommand(sandbox, args);
      for (const name of await toolNames(gateway.client))
        if (/status/.test(name)) await callTool(gateway.client, name);
      await gateway.client.close();
      expect((await gateway.saidAside).split('\n')).toEqual([
        expect.stringMatching(/^agent-relay-mcp: .+ Start it with: agent-relay daemon start$/),
        '',
      ]);
    },
  );

  it("tells the relay's agent its name in the instructions, whichever tool it calls first", async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })]);
    await using client = await connectToCommand(daemon, BOTH, { name: 'claude-code' });
    expect(client.client.getInstructions()).toMatch(/^You are claude\. /);
    await using alice = await connect({ project: 'demo', env: daemon.env, name: 'Alice' });
    expect((await alice.who()).map(({ name }) => name)).toContain('claude');
    expect((await callTool(client.client, 'relay_who')).data).not.toHaveProperty('hint');
  });

  it('ends with its client, even if that called nothing', async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })]);
    const server = spawn(process.execPath, [PROGRAM, ...BOTH], {
      env: daemon.env,
      cwd: daemon.projectDirectory,
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: 30_000,
    });
    const clientInfo = { name: 'claude-code', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await once(server.stdout, 'data');
    server.stdin.end();
    expect(await once(server, 'exit')).toEqual([0, null]);
  });

  it('refuses a wrong token', async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })]);
    await using _ann = await connect({
      project: 'demo',
      env: daemon.env,
      name: 'Ann',
      token: `at_${'x'.repeat(43)}`,
    });
    await using thief = await connectToCommand(daemon, GATEWAY, { env: { RELAY_AGENT_NAME: 'Ann' } });
    const refused = await callTool(thief.client, 'relay_get_status');
    expect(refused.data).toMatchObject({ error: { code: 'NameTaken' } });
  });

  it('is refused with conflicting toolsets, and by the program without it', async () => {
    await using sandbox = await createSandbox();
    const clash = await sandbox.cli(['mcp', '--tools', 'roles,workspace,gateway']);
    expect(clash).toMatchObject({ code: 2, stderr: expect.stringContaining('post_message') });
    const alone = promisify(execFile)(process.execPath, [MCP_PROGRAM, 'serve', '--tools', 'gateway']);
    await expect(alone).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Run: agent-relay mcp --tools gateway'),
    });
    const remote = await sandbox.cli(GATEWAY, { env: { RELAY_URL: 'ws://relay.example' } });
    expect(remote).toMatchObject({ code: 2, stderr: expect.stringContaining('?tools=gateway') });
  });
});
