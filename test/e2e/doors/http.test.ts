import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { connect } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../kit/daemon.ts';
import { callTool, connectClient, ERAS, type TestClient } from '../../mcp/kit/clients.ts';
import { type HttpClientOptions, headersOf, httpTransport, sseTransport } from '../../mcp/kit/http-door.ts';
import { toolNames } from './kit.ts';

const API_KEY = 'the-key-of-the-door';

/** Without a key for its MCP door, and with one. */
let sandbox: Sandbox;
let keyed: Sandbox;
let url: string;
let keyedUrl: string;
beforeAll(async () => {
  sandbox = await createSandbox();
  keyed = await createSandbox({ env: { RELAY_MCP_API_KEY: API_KEY } });
  url = await startWithDoor(sandbox);
  keyedUrl = await startWithDoor(keyed);
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await keyed[Symbol.asyncDispose]();
});

async function startWithDoor(place: Sandbox): Promise<string> {
  const { stdout } = await place.cli(['daemon', 'start', '--mcp-http', '0']);
  return /mcp +(http:\S+)/.exec(stdout)?.[1] ?? expect.unreachable(stdout);
}

const agent = (name: string) => connect({ project: 'demo', env: sandbox.env, name });
const json = async (args: string[], place = sandbox) =>
  JSON.parse((await place.cli([...args, '--json'])).stdout);

it('shows its address in the status', async () => {
  expect(await json(['status'])).toMatchObject({ mcp: url });
  expect((await sandbox.cli(['status'])).stdout).toMatch(/^mcp +http:/m);
});

describe.each([...ERAS, 'sse'] as const)('the MCP door of the daemon, %s', (kind) => {
  const era = { era: kind === 'sse' ? '2025-11-25' : kind } as const;
  const openAt = (address: string, options: HttpClientOptions) => {
    const transport =
      kind === 'sse' ? sseTransport(`${address}/sse`, options) : httpTransport({ url: address }, options);
    return connectClient(transport, era);
  };
  const open = (options: HttpClientOptions) => openAt(url, options);
  const openKeyed = (options: HttpClientOptions) => openAt(keyedUrl, { key: API_KEY, ...options });
  const unique = (name: string) => `${name}-${kind.slice(0, 4)}`;

  it('accepts programs of the user, under their usual names', async () => {
    await using recipient = await agent(unique('Bob'));
    await using client = await open({ agent: unique('Alice') });
    expect(await toolNames(client)).toContain('relay_send_message');
    const received = recipient.messages().next();
    await callTool(client, 'relay_send_message', { to: unique('Bob'), body: 'Hello' });
    expect((await received).value).toMatchObject({ from: unique('Alice'), content: 'Hello' });
    const asTheSame = await sandbox.cli(['send', unique('Bob'), 'Me again', '--as', unique('Alice')]);
    expect(asTheSame).toMatchObject({ code: 0, stderr: '' });
  });

  it('opens the workspace of a workspace key or an agent token', async () => {
    const { key } = await json(['workspace', 'create', unique('space')], keyed);
    await using byKey = await openKeyed({ key, agent: unique('Remote'), tools: 'relay' });
    expect((await callTool(byKey, 'relay_status')).data).toMatchObject({
      project: unique('space'),
      agentName: unique('Remote'),
    });
    const { agentToken: token = '' } = await connectRemotely(key, unique('Owner'));
    await using byToken = await openKeyed({ key: token, tools: 'relay' });
    expect((await callTool(byToken, 'relay_status')).data).toMatchObject({ agentName: unique('Owner') });
  });

  it('opens the chosen project for programs of the user and its own key', async () => {
    const project = unique('other');
    for (const place of [sandbox, keyed]) await json(['workspace', 'create', project], place);
    const asked = new URL(kind === 'sse' ? `${url}/sse` : url);
    asked.searchParams.set('project', project.toUpperCase());
    const byUrl = kind === 'sse' ? sseTransport(asked.href, {}) : httpTransport({ url: asked.href }, {});
    await using client = await connectClient(byUrl, era);
    expect(await projectOf(client)).toBe(project);
    for (const enter of [open, openKeyed]) {
      const name = unique('in-both');
      await using there = await enter({ project, agent: name, tools: 'relay' });
      await using here = await enter({ agent: name, tools: 'relay' });
      expect(await projectOf(there)).toBe(project);
      expect(await projectOf(here)).toBe('demo');
      await callTool(there, 'relay_send', { to: '*', message: 'only there' });
      expect((await callTool(here, 'relay_inbox')).texts).toEqual(['No messages in inbox.']);
    }
  });

  it('accepts its own key, and refuses a wrong one or none', async () => {
    await using client = await openKeyed({ agent: unique('Keyed'), tools: 'relay' });
    expect((await callTool(client, 'relay_status')).data).toMatchObject({ project: 'demo' });
    await expect(openKeyed({ key: 'wrong' })).rejects.toThrow(/401|Unauthorized/);
    await expect(openAt(keyedUrl, { agent: unique('Keyed') })).rejects.toThrow(/401|Unauthorized/);
  });

  it('shows its own key nothing of others, and no other projects', async () => {
    const [project, bob] = [unique('closed'), unique('Reader')];
    await json(['workspace', 'create', project], keyed);
    for (const place of ['demo', project]) await keyed.cli(['inbox', '--as', bob, '--project', place]);
    await keyed.cli(['send', bob, `swordfish ${kind}`, '--as', unique('Alice')]);
    const search = async (options: HttpClientOptions) => {
      await using client = await openKeyed({ ...options, tools: 'workspace' });
      return (await callTool(client, 'search_messages', { query: 'swordfish' })).texts.join();
    };
    expect((await keyed.cli(['search', 'swordfish'])).stdout).toContain(kind);
    for (const name of [{}, { agent: unique('Eve') }])
      expect(await search(name)).not.toContain(`swordfish ${kind}`);
    await using eve = await openKeyed({ agent: unique('Eve'), tools: 'relay' });
    const sent = await callTool(eve, 'relay_send', { to: `${project}:${bob}`, message: 'in by the back' });
    expect(sent).toMatchObject({ isError: true, texts: [expect.stringContaining('workspace grant')] });
  });
});

async function projectOf(client: TestClient) {
  const { contents } = await client.readResource({ uri: 'relay://project' });
  const [content] = contents;
  return JSON.parse(content && 'text' in content ? content.text : '{}').project;
}

async function connectRemotely(workspaceKey: string, name: string) {
  const { http } = await json(['status'], keyed);
  await using relay = await connect({
    url: `${http.replace('http', 'ws')}/ws`,
    workspaceKey,
    name,
    env: {},
  });
  return { agentToken: relay.agentToken };
}

it('reports an unknown project, or that one has to be chosen', async () => {
  const { key } = await json(['workspace', 'create', 'only']);
  const refusal = async (options: HttpClientOptions) => {
    const response = await fetch(url, { method: 'POST', headers: headersOf(options), body: '{}' });
    const { error } = (await response.json()) as { error: { message: string } };
    return `${response.status} ${error.message}`;
  };
  expect(await refusal({ project: 'dem' })).toMatch(
    /^404 This daemon has no project "dem"\. Did you mean demo\?/,
  );
  expect(await refusal({ key, project: 'demo' })).toMatch(/^400 You cannot choose the project/);
});

it('shows its address in the status, and its health to everybody', async () => {
  expect((await sandbox.cli(['daemon', 'status'])).stdout).toContain(url);
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
});

it('requires the configured key also from programs of the user, and for metrics', async () => {
  const asked = (address: string, key?: string) =>
    fetch(address, { headers: headersOf({ agent: 'Alice', ...(key && { key }) }) });
  for (const path of ['', '/sse', '/messages']) {
    const refused = await asked(`${keyedUrl}${path}`);
    expect([refused.status, await refused.text()]).toEqual([401, '{"error":"Unauthorized"}']);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  }
  const metricsOf = async (place: Sandbox) => `${(await json(['status'], place)).http}/metrics`;
  expect((await asked(await metricsOf(sandbox))).status).toBe(200);
  expect((await asked(await metricsOf(keyed))).status).toBe(401);
  expect((await asked(await metricsOf(keyed), API_KEY)).status).toBe(200);
  expect((await asked(await metricsOf(keyed), 'another key')).status).toBe(401);
});

it('ends the sessions of a key that is revoked', async () => {
  const { key, keyId } = await json(['workspace', 'create', 'short-lived']);
  await using client = await connectClient(httpTransport({ url }, { key, agent: 'Guest', tools: 'relay' }));
  expect((await callTool(client, 'relay_status')).data).toMatchObject({ connected: true });
  await sandbox.cli(['workspace', 'key', 'revoke', keyId, '--project', 'short-lived']);
  await expect(callTool(client, 'relay_status')).rejects.toThrow('Unauthorized');
});

it.skipIf(process.getuid?.() !== 0)(
  'refuses another user of the machine (needs root, to become one)',
  async () => {
    const script = `fetch('${url}', { method: 'POST', headers: { 'X-Relay-Agent': 'Alice' } }).then(({ status }) => console.log(status))`;
    const child = spawn(process.execPath, ['-e', script], { uid: 65_534, gid: 65_534, cwd: '/', env: {} });
    expect((await text(child.stdout)).trim()).toBe('401');
  },
);

it('stops cleanly while clients have open streams', async () => {
  await using other = await createSandbox({ settings: { mcp: { http: true, port: 0 } } });
  const { stdout } = await other.cli(['daemon', 'start']);
  const door = /mcp +(http:\S+)/.exec(stdout)?.[1] ?? expect.unreachable(stdout);
  await using stream = await connectClient(sseTransport(`${door}/sse`, { agent: 'Alice' }));
  expect((await callTool(stream, 'relay_list_agents')).isError).toBe(false);
  expect(await other.cli(['daemon', 'stop'])).toMatchObject({ code: 0 });
  const { stdout: log } = await other.cli(['daemon', 'logs']);
  expect(log).toContain('daemon stopped');
  expect(log).not.toMatch(/\b(error|fatal)\b/);
});

describe('a daemon that serves MCP over HTTP', () => {
  it('listens beyond this machine only with a key, for its own and allowed addresses', async () => {
    await using other = await createSandbox();
    const env = {
      RELAY_MCP_HTTP_ENABLED: 'true',
      RELAY_MCP_HTTP_PORT: '0',
      RELAY_MCP_HTTP_HOST: '0.0.0.0',
      RELAY_MCP_ALLOWED_HOSTS: 'relay.example',
    };
    const refused = await other.cli(['daemon', 'start'], { env });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('RELAY_MCP_API_KEY') });
    expect((await other.cli(['daemon', 'status'])).code).toBe(3);
    const opened = await other.cli(['daemon', 'start', '--mcp-api-key', API_KEY], { env });
    expect(opened).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/mcp +http:\/\/0\.0\.0\.0:\d+\/mcp/),
    });
    const { port } = new URL((await json(['daemon', 'status'], other)).mcp);
    const statusFor = async (host: string) => {
      const asked = request({ port, path: '/mcp/health', headers: { Host: host } }).end();
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    for (const host of ['127.0.0.1', hostname(), 'relay.example']) expect(await statusFor(host)).toBe(200);
    expect(await statusFor('evil.example')).toBe(403);
  });

  it('reports the port that is taken', async () => {
    await using other = await createSandbox();
    const { port } = new URL(url);
    const refused = await other.cli(['daemon', 'start', '--mcp-http', port]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`Port ${port}`) });
    const { pid } = await json(['daemon', 'status']);
    expect(refused.stderr).toMatch(new RegExp(`in use by process ${pid} \\(node agent-relay\\.js up\\)\\.`));
    expect(refused.stderr).toMatch(new RegExp(`--mcp-http PORT .*: kill ${pid}\n`));
    // It was never ready, so that it says nothing of stopping either.
    expect((await other.cli(['daemon', 'logs'])).stdout).not.toMatch(/daemon (ready|stopped)/);
    const up = await other.cli(['up', '--mcp', '--mcp-http', port]);
    expect(up).toMatchObject({ code: 2, stdout: '' });
    expect(up.stderr).toMatch(/^error: /);
  });
});
