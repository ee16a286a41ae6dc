import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { connect } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../kit/daemon.ts';
import { callTool, connectClient, ERAS, type TestClient } from '../mcp/kit/clients.ts';
import { type HttpClientOptions, headersOf, httpTransport, sseTransport } from '../mcp/kit/http-door.ts';
import { toolNames } from './doors-kit.ts';

const API_KEY = 'the-key-of-the-door';

let sandbox: Sandbox;
let url: string;
beforeAll(async () => {
  sandbox = await createSandbox();
  const env = { RELAY_MCP_API_KEY: API_KEY };
  const { stdout } = await sandbox.cli(['daemon', 'start', '--mcp-http', '0'], { env });
  url = /mcp +(http:\S+)/.exec(stdout)?.[1] ?? expect.unreachable(stdout);
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const agent = (name: string) => connect({ project: 'demo', env: sandbox.env, name });
const json = async (args: string[]) => JSON.parse((await sandbox.cli([...args, '--json'])).stdout);
const transports = {
  '2025-11-25': (options: HttpClientOptions) => httpTransport({ url }, options),
  '2026-07-28': (options: HttpClientOptions) => httpTransport({ url }, options),
  sse: (options: HttpClientOptions) => sseTransport(`${url}/sse`, options),
};

it('tells where it is in the status', async () => {
  expect(await json(['status'])).toMatchObject({ mcp: url });
  expect((await sandbox.cli(['status'])).stdout).toMatch(/^mcp +http:/m);
});

describe.each([...ERAS, 'sse'] as const)('the MCP door of the daemon, %s', (kind) => {
  const open = (options: HttpClientOptions) =>
    connectClient(transports[kind](options), { era: kind === '2026-07-28' ? kind : '2025-11-25' });
  const unique = (name: string) => `${name}-${kind.slice(0, 4)}`;

  it('lets in programs of the user, under the names they have everywhere', async () => {
    await using recipient = await agent(unique('Bob'));
    await using client = await open({ agent: unique('Alice') });
    expect(await toolNames(client)).toContain('relay_send_message');
    const received = recipient.messages().next();
    await callTool(client, 'relay_send_message', { to: unique('Bob'), body: 'Hello' });
    expect((await received).value).toMatchObject({ from: unique('Alice'), content: 'Hello' });
    const asTheSame = await sandbox.cli(['send', unique('Bob'), 'Me again', '--as', unique('Alice')]);
    expect(asTheSame).toMatchObject({ code: 0, stderr: '' });
  });

  it('takes the holder of a workspace key or an agent token to their workspace', async () => {
    const { key } = await json(['workspace', 'create', unique('space')]);
    await using byKey = await open({ key, agent: unique('Remote'), tools: 'relay' });
    expect((await callTool(byKey, 'relay_status')).data).toMatchObject({
      project: unique('space'),
      agentName: unique('Remote'),
    });
    const { agentToken: token = '' } = await connectRemotely(key, unique('Owner'));
    await using byToken = await open({ key: token, tools: 'relay' });
    expect((await callTool(byToken, 'relay_status')).data).toMatchObject({ agentName: unique('Owner') });
  });

  it('takes programs of the user and the holder of its own key to the project they choose', async () => {
    const project = unique('other');
    await json(['workspace', 'create', project]);
    const asked = new URL(kind === 'sse' ? `${url}/sse` : url);
    asked.searchParams.set('project', project.toUpperCase());
    const byUrl = kind === 'sse' ? sseTransport(asked.href, {}) : httpTransport({ url: asked.href }, {});
    await using client = await connectClient(byUrl, { era: kind === '2026-07-28' ? kind : '2025-11-25' });
    expect(await projectOf(client)).toBe(project);
    for (const key of [{}, { key: API_KEY }]) {
      const name = unique(`in-both-${Object.keys(key).length}`);
      await using there = await open({ ...key, project, agent: name, tools: 'relay' });
      await using here = await open({ ...key, agent: name, tools: 'relay' });
      expect(await projectOf(there)).toBe(project);
      expect(await projectOf(here)).toBe('demo');
      await callTool(there, 'relay_send', { to: '*', message: 'only there' });
      expect((await callTool(here, 'relay_inbox')).texts).toEqual(['No messages in inbox.']);
    }
  });

  it('lets in the holder of its own key, and nobody with a wrong one', async () => {
    await using client = await open({ key: API_KEY, agent: unique('Keyed'), tools: 'relay' });
    expect((await callTool(client, 'relay_status')).data).toMatchObject({ project: 'demo' });
    await expect(open({ key: 'wrong' })).rejects.toThrow();
  });

  it('shows the holder of its own key nothing of others, and no way into other projects', async () => {
    const [project, bob] = [unique('closed'), unique('Reader')];
    await json(['workspace', 'create', project]);
    for (const place of ['demo', project]) await sandbox.cli(['inbox', '--as', bob, '--project', place]);
    await sandbox.cli(['send', bob, `swordfish ${kind}`, '--as', unique('Alice')]);
    const search = async (options: HttpClientOptions) => {
      await using client = await open({ ...options, tools: 'workspace' });
      return (await callTool(client, 'search_messages', { query: 'swordfish' })).texts.join();
    };
    expect(await search({ agent: unique('Alice') })).toContain(`swordfish ${kind}`);
    for (const name of [{}, { agent: unique('Eve') }])
      expect(await search({ key: API_KEY, ...name })).not.toContain(`swordfish ${kind}`);
    await using eve = await open({ key: API_KEY, agent: unique('Eve'), tools: 'relay' });
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
  const { http } = await json(['status']);
  await using relay = await connect({
    url: `${http.replace('http', 'ws')}/ws`,
    workspaceKey,
    name,
    env: {},
  });
  return { agentToken: relay.agentToken };
}

it('says so when there is no such project, or no choice of one', async () => {
  const { key } = await json(['workspace', 'create', 'only']);
  const refusal = async (options: HttpClientOptions) => {
    const response = await fetch(url, { method: 'POST', headers: headersOf(options), body: '{}' });
    const { error } = (await response.json()) as { error: { message: string } };
    return `${response.status} ${error.message}`;
  };
  expect(await refusal({ project: 'dem' })).toMatch(
    /^404 No project "dem" is known here\. Did you mean demo\?/,
  );
  expect(await refusal({ key, project: 'demo' })).toMatch(/^400 The project cannot be chosen/);
});

it('shows where it is in the status, and its health to everybody', async () => {
  expect((await sandbox.cli(['daemon', 'status'])).stdout).toContain(url);
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
});

it('ends the sessions of a key that is revoked', async () => {
  const { key, keyId } = await json(['workspace', 'create', 'short-lived']);
  await using client = await connectClient(httpTransport({ url }, { key, agent: 'Guest', tools: 'relay' }));
  expect((await callTool(client, 'relay_status')).data).toMatchObject({ connected: true });
  await sandbox.cli(['workspace', 'key', 'revoke', keyId, '--project', 'short-lived']);
  await expect(callTool(client, 'relay_status')).rejects.toThrow();
});

it.skipIf(process.getuid?.() !== 0)(
  'refuses another user of the machine (needs root, to become one)',
  async () => {
    const script = `fetch('${url}', { method: 'POST', headers: { 'X-Relay-Agent': 'Alice' } }).then(({ status }) => console.log(status))`;
    const child = spawn(process.execPath, ['-e', script], { uid: 65_534, gid: 65_534, cwd: '/', env: {} });
    expect((await text(child.stdout)).trim()).toBe('401');
  },
);

it('stops in order while clients have streams open', async () => {
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

describe('a daemon that is told to serve MCP over HTTP', () => {
  it('does not open the door beyond this machine without a key', async () => {
    await using other = await createSandbox();
    const env = { RELAY_MCP_HTTP_ENABLED: 'true', RELAY_MCP_HTTP_PORT: '0', RELAY_MCP_HTTP_HOST: '0.0.0.0' };
    const refused = await other.cli(['daemon', 'start'], { env });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('RELAY_MCP_API_KEY') });
    expect((await other.cli(['daemon', 'status'])).code).toBe(3);
    const opened = await other.cli(['daemon', 'start', '--mcp-api-key', API_KEY], { env });
    expect(opened).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/mcp +http:\/\/0\.0\.0\.0:\d+\/mcp/),
    });
  });

  it('says which port is taken', async () => {
    await using other = await createSandbox();
    const { port } = new URL(url);
    const refused = await other.cli(['daemon', 'start', '--mcp-http', port]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`Port ${port}`) });
  });
});
