import { writeFile } from 'node:fs/promises';
import { connect, localAgentToken } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { scripted, tool } from '../../gateway/kit/gateway-kit.ts';
import { isAlive, processesIn } from '../../gateway/kit/processes.ts';
import { realServer } from '../../gateway/kit/real-servers.ts';
import { SDK_SERVER } from '../../gateway/kit/sdk-server.ts';
import { createSandbox } from '../../kit/daemon.ts';
import { eventually } from '../../kit/eventually.ts';
import { callTool, connectClient, ERAS } from '../../mcp/kit/clients.ts';
import { sseTransport } from '../../mcp/kit/http-door.ts';
import { connectToCommand, toolNames } from '../doors/kit.ts';
import { type PooledDaemon, startPool } from './kit.ts';

const program = (name: string, args: string[], settings = {}) => ({
  name,
  command: process.execPath,
  args,
  ...settings,
});

/** The key of a workspace that is made for it. */
const newKey = async (daemon: PooledDaemon): Promise<string> =>
  JSON.parse((await daemon.cli(['workspace', 'create', 'team', '--json'])).stdout).key;

describe.each(ERAS)('the MCP servers of the daemon, %s', (era) => {
  it('are shared by all agents, or one for each, as each is configured', async () => {
    await using daemon = await startPool((pathOf) => [
      program('memory', [realServer('memory')], { env: { MEMORY_FILE_PATH: pathOf('memory.json') } }),
      program('counter', [SDK_SERVER, 'legacy'], { scope: 'session' }),
      scripted('shared', { tools: [tool('echo')], journal: pathOf('shared') }),
      scripted('own', { tools: [tool('mine')], journal: pathOf('own') }, { scope: 'session' }),
    ]);
    await using ann = await daemon.client({ era, agent: 'Ann' });
    await using bob = await daemon.client({ era, agent: 'Bob' });
    expect(await toolNames(ann)).toEqual(
      expect.arrayContaining(['create_entities', 'count', 'echo', 'mine', 'relay_get_status']),
    );

    await callTool(ann, 'create_entities', {
      entities: [{ name: 'relay', entityType: 'project', observations: ['is shared'] }],
    });
    expect((await callTool(bob, 'read_graph')).texts.join()).toContain('is shared');

    const counts = [ann, ann, bob].map(async (client) => (await callTool(client, 'count')).texts[0]);
    expect((await Promise.all(counts)).sort()).toEqual(['1', '1', '2']);

    for (const client of [ann, bob]) {
      await callTool(client, 'echo');
      await callTool(client, 'mine');
    }
    expect(processesIn(await daemon.journal('shared'))).toHaveLength(1);
    expect(processesIn(await daemon.journal('own'))).toHaveLength(2);
  });

  it('change without disturbing a call in flight, and clients are notified', async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('wait')] })]);
    await using client = await daemon.client({ era });
    await toolNames(client);
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
    if (era === '2026-07-28') await client.listen({ toolsListChanged: true });
    const waiting = callTool(client, 'wait', { ms: 1500 });
    await daemon.configure([
      scripted('one', { tools: [tool('wait')] }),
      scripted('two', { tools: [tool('second')] }),
    ]);
    await changed.promise;
    await eventually(async () => (await toolNames(client)).includes('second'));
    expect((await waiting).texts).toEqual(['waited']);
  });
});

/** A stream on which a client of the toolset `gateway` is told things, as the holder of a key opens it. */
async function openStream(url: string, era: (typeof ERAS)[number], key: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': era,
  };
  const ask = (init: RequestInit) => fetch(`${url}?tools=gateway`, { headers, ...init });
  const post = (method: string, params: object, more = {}) =>
    ask({
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  if (era === '2026-07-28') {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': era,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const method = 'subscriptions/listen';
    return post(method, { notifications: { toolsListChanged: true }, _meta }, { 'mcp-method': method });
  }
  const clientInfo = { name: 'x', version: '1' };
  const opened = await post('initialize', { protocolVersion: era, capabilities: {}, clientInfo });
  return ask({ headers: { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' } });
}

describe('the pool of the daemon', () => {
  it('ends its servers with the daemon, even if that is killed', async () => {
    await using daemon = await startPool((pathOf) => [
      scripted('shared', { tools: [tool('echo')], stubborn: true, journal: pathOf('journal') }),
      scripted('own', { tools: [tool('mine')], journal: pathOf('journal') }, { scope: 'session' }),
    ]);
    const running = async () => {
      await using client = await daemon.client();
      await callTool(client, 'mine');
      return eventually(async () => {
        const pids = processesIn(await daemon.journal('journal')).filter(isAlive);
        return pids.length === 3 ? pids : undefined;
      });
    };
    const first = await running();
    expect(await daemon.cli(['daemon', 'stop'])).toMatchObject({ code: 0 });
    await eventually(() => !first.some(isAlive));

    await daemon.restart();
    const second = await running();
    process.kill(await daemon.pid(), 'SIGKILL');
    await eventually(() => !second.some(isAlive));
  });

  it('requires access, and a session belongs to its client', async () => {
    const key = 'the-key-of-the-door';
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })], {
      RELAY_MCP_API_KEY: key,
    });
    const post = (body: object, headers: Record<string, string> = {}) =>
      fetch(`${daemon.url}?tools=gateway`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(body),
      });
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect((await post(initialize, { authorization: 'Bearer wrong' })).status).toBe(401);
    const ann = { authorization: `Bearer ${key}`, 'x-relay-agent': 'Ann' };
    const opened = await post(initialize, ann);
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    expect((await post(list, { ...ann, ...session })).status).toBe(200);
    expect((await post(list, { ...ann, ...session, 'x-relay-agent': 'Bob' })).status).toBe(404);
    // The same name, but without the key.
    expect((await post(list, { ...session, 'x-relay-agent': 'Ann' })).status).toBe(401);
  });

  it.each(ERAS)('counts its sessions, and ends those of a key that is revoked, %s', async (era) => {
    await using daemon = await startPool((pathOf) => [
      scripted('own', { tools: [tool('mine'), tool('hang')], journal: pathOf('own') }, { scope: 'session' }),
    ]);
    const clients = async () => (await (await fetch(`${daemon.url}/health`)).json()).clients;
    const created = await daemon.cli(['workspace', 'create', 'team', '--json']);
    const { key, keyId } = JSON.parse(created.stdout);
    await using owner = await daemon.client({ era });
    await callTool(owner, 'mine');
    const owners = processesIn(await daemon.journal('own'));
    await using guest = await daemon.client({ era, key, agent: 'Guest' });
    const cutOff = expect(callTool(guest, 'hang')).rejects.toThrow('Session not found');
    const stream = await openStream(daemon.url, era, key);
    await eventually(async () => (await daemon.journal('own')).includes('call hang {}'));
    const guests = processesIn(await daemon.journal('own')).slice(owners.length);
    expect([guests.every(isAlive), await clients()]).toEqual([true, 3]);
    expect((await daemon.cli(['who', '--project', 'team'])).stdout).not.toContain('Guest');

    await daemon.cli(['workspace', 'key', 'revoke', keyId, '--project', 'team']);
    await cutOff;
    await stream.text();
    await eventually(() => !guests.some(isAlive));
    expect(await clients()).toBe(1);
    expect(await callTool(owner, 'mine')).toMatchObject({ isError: false });
  });

  it('ends the session of an agent token with its agent, which is online until then', async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })]);
    const clients = async () => (await (await fetch(`${daemon.url}/health`)).json()).clients;
    await (await connect({ project: 'demo', env: daemon.env, name: 'Tess' })).close();
    const key = await localAgentToken('demo', 'Tess', daemon.env);
    await using client = await daemon.client({ key });
    expect(await callTool(client, 'echo')).toMatchObject({ isError: false });
    await eventually(async () => /Tess +\S*(active|online)/.test((await daemon.cli(['who'])).stdout));
    expect(await clients()).toBe(1);
    expect(await daemon.cli(['agent', 'remove', 'Tess'])).toMatchObject({ code: 0 });
    await eventually(async () => (await clients()) === 0);
  });

  it('can be used with any key or token, but changed by programs of the owner only, with an audit record', async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })]);
    await (await connect({ project: 'demo', env: daemon.env, name: 'Tess' })).close();
    const token = await localAgentToken('demo', 'Tess', daemon.env);
    const apiKey = 'the-key-of-the-door';
    await using keyed = await startPool(() => [scripted('one', { tools: [tool('echo')] })], {
      RELAY_MCP_API_KEY: apiKey,
    });
    const guests: Array<[PooledDaemon, key: string]> = [
      [daemon, await newKey(daemon)],
      [daemon, token],
      [keyed, apiKey],
    ];
    for (const [entered, key] of guests) {
      await using guest = await entered.client({ key });
      expect(await callTool(guest, 'echo')).toMatchObject({ isError: false });
      for (const change of ['relay_add_server', 'relay_reconnect_server', 'relay_remove_server']) {
        const { data } = await callTool(guest, change, { name: 'one', url: 'ws://127.0.0.1:1' });
        expect(data).toMatchObject({
          error: { code: 'Forbidden', next: expect.stringContaining('mcp.manageServers') },
        });
      }
    }
    await using owner = await daemon.client({ agent: 'Ann' });
    const url = 'ws://127.0.0.1:1/?key=secret';
    expect(await callTool(owner, 'relay_add_server', { name: 'two', url })).toMatchObject({ isError: false });
    await using local = await connectToCommand(daemon, ['mcp', '--tools', 'gateway'], {
      env: { RELAY_AGENT_NAME: 'Bob' },
    });
    expect(await callTool(local.client, 'relay_remove_server', { name: 'one' })).toMatchObject({
      isError: false,
    });
    expect(await toolNames(owner)).not.toContain('echo');
    expect(JSON.parse((await daemon.cli(['audit', '--json'])).stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          actor: 'owner',
          action: 'server.added',
          subject: 'two',
          detail: { url: 'ws://127.0.0.1:1/?key=***', as: 'Ann' },
        }),
        expect.objectContaining({ actor: 'Bob', action: 'server.removed', subject: 'one' }),
      ]),
    );
  });

  it('can be changed by everyone, or by nobody, if the settings say so', async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })]);
    const key = await newKey(daemon);
    const remove = async (name: string, options = {}) => {
      await using client = await daemon.client(options);
      return (await callTool(client, 'relay_remove_server', { name })).isError ? 'refused' : 'done';
    };
    const restartWith = async (manageServers: string) => {
      await daemon.writeSettings({ mcp: { manageServers } });
      await daemon.cli(['daemon', 'stop']);
      await daemon.restart();
    };
    await restartWith('nobody');
    expect([await remove('one'), await remove('one', { key })]).toEqual(['refused', 'refused']);
    await restartWith('everyone');
    expect(await remove('one', { key })).toBe('done');
    const team = await daemon.cli(['audit', '--json', '--project', 'team']);
    expect(JSON.parse(team.stdout)).toContainEqual(
      expect.objectContaining({ actor: expect.stringMatching(/^key \S+/), action: 'server.removed' }),
    );
  });

  it('accepts larger requests than the relay itself', async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })]);
    await using client = await daemon.client();
    const [text = ''] = (await callTool(client, 'echo', { text: 'x'.repeat(4_000_000) })).texts;
    expect(text.length).toBeGreaterThan(4_000_000);
  });

  it('withholds a changed tool until it is approved', async () => {
    const changing = (description: string) =>
      scripted('one', { tools: [tool('first', { description })] }, { pin: 'strict' });
    await using daemon = await startPool(() => [changing('Reads.')]);
    await using client = await daemon.client();
    expect(await toolNames(client)).toContain('first');
    await daemon.configure([changing('Reads and sends it away.')]);
    await eventually(async () => !(await toolNames(client)).includes('first'));
    expect((await daemon.cli(['status'])).stdout).toContain('agent-relay gateway approve one first');
    const [change] = JSON.parse((await daemon.cli(['gateway', 'approve', '--list'])).stdout);
    const approved = await daemon.cli(['gateway', 'approve', 'one', '--digest', change.digest]);
    expect(approved).toMatchObject({ code: 0, stdout: 'Approved: one.first\n' });
    await eventually(async () => (await toolNames(client)).includes('first'));
  });

  it('keeps its servers when a file is invalid, and reports it', async () => {
    await using daemon = await startPool(() => [scripted('one', { tools: [tool('echo')] })]);
    await using client = await daemon.client();
    await writeFile(daemon.file, '{"servers": [{"name": "one"}]}');
    await eventually(async () =>
      (await daemon.cli(['daemon', 'logs'])).stdout.includes(`${daemon.file}:1:14`),
    );
    expect(await callTool(client, 'echo')).toMatchObject({ isError: false });
    const { stdout } = await daemon.cli(['status']);
    expect(stdout).toMatch(/server +one: healthy, 1 tool\n/);
    expect(stdout).toMatch(/servers +The configuration on disk is not applied; .*mcp-servers\.json:1:14: /);
  });

  it('is not served over the older transport, whose error says where it is', async () => {
    await using daemon = await startPool(() => []);
    const asked = connectClient(sseTransport(`${daemon.url}/sse`, { tools: 'gateway' }));
    await expect(asked).rejects.toThrow('Non-200 status code (400)');
    const response = await fetch(`${daemon.url}/sse?tools=gateway`);
    expect(await response.text()).toMatch(
      /Connect to \/mcp\?tools=gateway .*agent-relay mcp --tools gateway/,
    );
  });
});

describe('a daemon started with MCP servers', () => {
  it('refuses a missing or invalid file, with the line of the mistake', async () => {
    await using sandbox = await createSandbox();
    const start = () => sandbox.cli(['daemon', 'start', '--mcp-servers', 'servers.json']);
    const file = `${sandbox.projectDirectory}/servers.json`;
    expect(await start()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`No such file: ${file}`),
    });
    await writeFile(file, '{\n"servers": [{"name": "a b", "command": "x"}]}');
    expect(await start()).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file}:2:22`) });
  });

  it('without any, explains how to add some', async () => {
    await using sandbox = await createSandbox();
    const { stdout } = await sandbox.cli(['daemon', 'start', '--mcp-http', '0']);
    const url = /mcp +(http:\S+)/.exec(stdout)?.[1] ?? expect.unreachable(stdout);
    const response = await fetch(`${url}?tools=gateway`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('--mcp-servers FILE');
  });
});
