import { readFileSync } from 'node:fs';
import type { Relay } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scripted, tool } from '../gateway/kit/gateway-kit.ts';
import type { TestDaemon } from '../kit/daemon.ts';
import { startDaemonWithServers } from '../kit/daemon-with-servers.ts';
import { json } from '../kit/results.ts';
import { client, known } from './messaging-commands.ts';

let daemon: TestDaemon;
let owner: Relay;
let bob: Relay;
let key: string;
let keyId: string;
let session: string;
let token: string;
/** Who called, as the tool was told. */
const callers: unknown[] = [];

beforeAll(async () => {
  daemon = await startDaemonWithServers([scripted('near', { tools: [tool('echo')] })]);
  owner = await client(daemon);
  bob = await client(daemon, { name: 'Bob', capabilities: ['math'] });
  await bob.exposeTool({
    name: 'sum',
    description: 'Adds numbers',
    input: z.object({ numbers: z.array(z.number()) }),
    handler: ({ input, agent }) => {
      callers.push(agent.name);
      return { sum: input.numbers.reduce((sum, number) => sum + number, 0) };
    },
  });
  ({ key, keyId } = await owner.request('KEY_CREATE', {}));
  await known(daemon, 'Alice');
  ({ token } = await owner.request('TOKEN_ROTATE', { agent: 'Alice' }));
  const { url } = await owner.request('PAGE_LINK', {});
  const signedIn = await post('/api/page/session', { code: url.split('#code=')[1] });
  ({ session } = (await signedIn.json()) as { session: string });
});
afterAll(async () => {
  await bob?.close();
  await owner?.close();
  await daemon?.[Symbol.asyncDispose]();
});

const at = (path: string) => `http://${daemon.http}${path}`;
const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });
const get = (path: string, secret = key) => fetch(at(path), { headers: bearer(secret) });
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(at(path), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const call = (body: unknown, secret = key) => post('/api/mcp/call', body, bearer(secret));
const sum = { server: 'Bob', tool: 'sum', arguments: { numbers: [1, 2] } };
const PATHS = ['/api/mcp/capabilities', '/api/mcp/capabilities/summary', '/api/mcp/servers'];

describe('the REST API', () => {
  it('lists what agents can do, and the servers', async () => {
    expect(await (await get('/api/mcp/capabilities')).json()).toMatchObject({
      capabilities: [
        {
          agentName: 'Bob',
          capabilities: [{ category: 'math' }],
          tools: [{ name: 'sum', description: 'Adds numbers', inputSchema: { type: 'object' } }],
        },
      ],
    });
    expect(await (await get('/api/mcp/capabilities/summary')).json()).toEqual({ summary: { math: ['Bob'] } });
    await expect
      .poll(async () => (await get('/api/mcp/servers')).json())
      .toMatchObject({ servers: [{ name: 'near', health: 'healthy', tools: [{ name: 'echo' }] }] });
  });

  it('calls a tool with a key, an agent token or a page session', async () => {
    for (const secret of [key, token, session]) {
      const response = await call(sum, secret);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ success: true, result: { sum: 3 } });
    }
    expect(callers).toEqual([`key ${keyId}`, 'Alice', expect.any(String)]);
    const entries = json(await daemon.cli(['audit', '--json']));
    expect(entries).toContainEqual(
      expect.objectContaining({ actor: `key ${keyId}`, action: 'tool.called', subject: 'Bob.sum' }),
    );
  });

  it('calls a tool of an MCP server, as one of an agent', async () => {
    const response = await call({ server: 'near', tool: 'echo', arguments: { text: 'Hello' } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ success: true, result: expect.anything() });
  });

  it('tells why a call failed', async () => {
    const missing = await call({ ...sum, tool: 'sums' });
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({
      success: false,
      code: 'ToolNotFound',
      error: expect.any(String),
    });
    expect(await (await call({ ...sum, arguments: { numbers: ['1'] } })).json()).toMatchObject({
      success: false,
      code: 'InvalidArguments',
    });
    expect((await call({ tool: 'sum' })).status).toBe(400);
  });

  it('lets nobody in without a valid credential, whatever they ask', async () => {
    const wrong = [`${key}x`, `${token}x`, `${session}x`, 'nonsense'];
    for (const path of PATHS) {
      expect((await fetch(at(path))).status).toBe(401);
      for (const secret of wrong) expect((await get(path, secret)).status, path).toBe(401);
    }
    for (const secret of wrong) {
      expect((await call(sum, secret)).status).toBe(401);
      expect((await call({ nonsense: true }, secret)).status).toBe(401);
      expect((await post('/api/mcp/servers', {}, bearer(secret))).status).toBe(401);
    }
    expect((await post('/api/mcp/servers', {}, bearer(key))).status).toBe(400);
    expect((await post('/api/mcp/call', sum)).status).toBe(401);
    expect((await post('/api/mcp/call', sum, { ...bearer(key), Origin: 'http://evil.example' })).status).toBe(
      403,
    );
    const form = { ...bearer(key), 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await post('/api/mcp/call', sum, form)).status).toBe(400);
  });

  it('is described in docs/openapi.json', async () => {
    const text = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
    const { paths } = JSON.parse(text) as { paths: Record<string, object> };
    expect(Object.keys(paths).sort()).toEqual([...PATHS, '/api/mcp/call', '/api/page/session'].sort());
    for (const path of Object.keys(paths)) expect((await fetch(at(path))).status, path).not.toBe(404);
  });
});
