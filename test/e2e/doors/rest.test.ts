import { readFileSync } from 'node:fs';
import type { Relay } from '@agent-relay/sdk/node';
import { Validator } from '@cfworker/json-schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scripted, tool } from '../../gateway/kit/gateway-kit.ts';
import type { TestDaemon } from '../../kit/daemon.ts';
import { startDaemonWithServers } from '../../kit/daemon-with-servers.ts';
import { json } from '../../kit/results.ts';
import { client, known } from '../messaging/commands.ts';

let daemon: TestDaemon;
let owner: Relay;
let bob: Relay;
let key: string;
let keyId: string;
let session: string;
let token: string;
const MATH = { category: 'math', description: 'Adds numbers up' };
/** A server that cannot be started, by a path that is the owner's business. */
const broken = { name: 'broken', command: '/private/of-the-owner/server' };
/** Who called, as the tool was told. */
const callers: unknown[] = [];

beforeAll(async () => {
  daemon = await startDaemonWithServers([scripted('near', { tools: [tool('echo')] }), broken]);
  owner = await client(daemon);
  bob = await client(daemon, { name: 'Bob', capabilities: [MATH, 'games'] });
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
          capabilities: [MATH, { category: 'games', description: '' }],
          tools: [{ name: 'sum', description: 'Adds numbers', inputSchema: { type: 'object' } }],
          updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        },
      ],
    });
    expect(await (await get('/api/mcp/capabilities/summary')).json()).toEqual({
      summary: { math: ['Bob'], games: ['Bob'] },
      descriptions: { math: { Bob: MATH.description } },
    });
    await expect
      .poll(async () => (await get('/api/mcp/servers')).json())
      .toMatchObject({
        servers: expect.arrayContaining([
          expect.objectContaining({ name: 'near', health: 'healthy', tools: [expect.anything()] }),
        ]),
      });
  });

  it('shows errors of a server to its owner only', async () => {
    const errorFor = async (secret: string) => {
      const { servers } = (await (await get('/api/mcp/servers', secret)).json()) as {
        servers: Array<{ name: string; error?: string }>;
      };
      return servers.find(({ name }) => name === 'broken')?.error;
    };
    await expect.poll(() => errorFor(session)).toContain('of-the-owner');
    for (const secret of [key, token]) expect(await errorFor(secret)).toBeUndefined();
  });

  it('shows when an agent last changed its offer', async () => {
    const updatedAt = async () => {
      const { capabilities } = (await (await get('/api/mcp/capabilities')).json()) as {
        capabilities: Array<{ agentName: string; updatedAt: string }>;
      };
      return Date.parse(capabilities.find(({ agentName }) => agentName === 'Carl')?.updatedAt ?? '');
    };
    const began = Date.now();
    await using carl = await client(daemon, { name: 'Carl', capabilities: ['tests'] });
    const joined = await updatedAt();
    expect(joined).toBeGreaterThanOrEqual(began);
    await bob.send('Carl', 'Nothing of what you offer changes.');
    expect(await updatedAt()).toBe(joined);
    await expect.poll(() => Date.now()).toBeGreaterThan(joined);
    await carl.exposeTool({ name: 'run', description: 'Runs', input: z.object({}), handler: () => ({}) });
    await expect.poll(updatedAt).toBeGreaterThan(joined);
  });

  it('lists only as much at once as fits in one answer', async () => {
    const tools = Array.from({ length: 90 }, (_, at) => ({
      ...{ name: `tool${at}`, description: 'x'.repeat(4000), inputSchema: {} },
    }));
    await using _large = await client(daemon, { name: 'Large', tools });
    await using _larger = await client(daemon, { name: 'Larger', tools });
    const page = async (cursor: string) => {
      const answer = await get(`/api/mcp/capabilities?cursor=${cursor}`);
      const { capabilities, next } = (await answer.json()) as {
        capabilities: Array<{ agentName: string; tools: object[] }>;
        next?: string;
      };
      return { next, agents: capabilities.map(({ agentName, tools }) => [agentName, tools.length]) };
    };
    const first = [
      ['Bob', 1],
      ['Large', 90],
    ];
    expect(await page('')).toEqual({ agents: first, next: 'Large' });
    expect(await page('Large')).toEqual({ agents: [['Larger', 90]], next: undefined });
    await expectAsDescribed('get', '/api/mcp/capabilities', await get('/api/mcp/capabilities'));
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
    expect(await response.json()).toEqual({ success: true, result: 'echo {"text":"Hello"}' });
  });

  it('reports why a call failed', async () => {
    const missing = await call({ ...sum, tool: 'sums' });
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({
      success: false,
      code: 'ToolNotFound',
      error: 'Bob has no tool "sums". Did you mean sum?',
    });
    expect(await (await call({ ...sum, arguments: { numbers: ['1'] } })).json()).toMatchObject({
      success: false,
      code: 'InvalidArguments',
    });
    expect((await call({ tool: 'sum' })).status).toBe(400);
  });

  it('refuses every request without a valid credential', async () => {
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

  it('answers as docs/openapi.json says, to each request it describes', async () => {
    const { paths } = OPENAPI;
    expect(Object.keys(paths).sort()).toEqual([...PATHS, '/api/mcp/call', '/api/page/session'].sort());
    for (const path of PATHS) {
      await expectAsDescribed('get', path, await get(path));
      await expectAsDescribed('get', path, await fetch(at(path)));
    }
    await expectAsDescribed('post', '/api/mcp/call', await call(sum));
    await expectAsDescribed('post', '/api/mcp/call', await call({ ...sum, timeoutMs: 5000 }));
    await expectAsDescribed('post', '/api/mcp/call', await call({ ...sum, tool: 'sums' }));
    await expectAsDescribed('post', '/api/mcp/call', await call({ ...sum, arguments: { numbers: ['1'] } }));
    await expectAsDescribed('post', '/api/mcp/call', await call(sum, 'nonsense'));
    await expectAsDescribed('post', '/api/mcp/call', await call({ nonsense: true }));
    const foreign = { ...bearer(key), Origin: 'http://evil.example' };
    await expectAsDescribed('post', '/api/mcp/call', await post('/api/mcp/call', sum, foreign));
    for (const path of PATHS)
      await expectAsDescribed('get', path, await fetch(at(path), { headers: foreign }));
    await expectAsDescribed('post', '/api/page/session', await post('/api/page/session', { nonsense: true }));
    const { url } = await owner.request('PAGE_LINK', {});
    const code = { code: url.split('#code=')[1] };
    await expectAsDescribed('post', '/api/page/session', await post('/api/page/session', code));
    const again = await post('/api/page/session', code);
    expect(again.status).toBe(401);
    await expectAsDescribed('post', '/api/page/session', again);
  });

  it('accepts the requests that docs/openapi.json describes, and no others', async () => {
    const described = (path: string) =>
      new Validator(withComponents(bodyOf(OPENAPI.paths[path]?.post?.requestBody)), '2020-12');
    for (const [body, isRight] of [
      [sum, true],
      [{ server: 'Bob', tool: 'sum', arguments: { numbers: [] }, timeoutMs: 1000 }, true],
      [{ tool: 'sum' }, false],
      [{ ...sum, more: true }, false],
      [{ ...sum, arguments: [] }, false],
      [{ ...sum, timeoutMs: 0 }, false],
      [{ ...sum, timeoutMs: 600_001 }, false],
    ] as const) {
      expect(described('/api/mcp/call').validate(body).valid, JSON.stringify(body)).toBe(isRight);
      expect((await call(body)).status, JSON.stringify(body)).toBe(isRight ? 200 : 400);
    }
    for (const body of [{}, { code: 1 }, { code: 'x', more: true }]) {
      expect(described('/api/page/session').validate(body).valid, JSON.stringify(body)).toBe(false);
      expect((await post('/api/page/session', body)).status, JSON.stringify(body)).toBe(400);
    }
  });
});

interface Described {
  $ref?: string;
  content?: Record<string, { schema: object }>;
}
interface OpenApi {
  paths: Record<
    string,
    Partial<Record<'get' | 'post', { requestBody?: Described; responses: Record<string, Described> }>>
  >;
  components: { responses: Record<string, Described>; schemas: Record<string, object> };
}
const OPENAPI = JSON.parse(
  readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
) as OpenApi;

/** A schema whose references into the document can be followed. */
const withComponents = (schema: object) => ({ ...schema, components: OPENAPI.components });

function bodyOf(described: Described | undefined): object {
  const name = described?.$ref?.split('/').at(-1);
  const found = name === undefined ? described : OPENAPI.components.responses[name];
  const schema = found?.content?.['application/json']?.schema;
  if (!schema) throw new Error('The document describes no JSON here.');
  return schema;
}

/** The answer has the described shape, and no field of it is missing in the description. */
async function expectAsDescribed(method: 'get' | 'post', path: string, response: Response): Promise<void> {
  const { responses = {} } = OPENAPI.paths[path]?.[method] ?? {};
  const described = responses[response.status] ?? responses.default;
  const schema = closed(withComponents(bodyOf(described)));
  const body = await response.json();
  const { valid, errors } = new Validator(schema as never, '2020-12').validate(body);
  const where = `${method} ${path} ${response.status} ${JSON.stringify(body)}`;
  expect(valid, `${where} ${JSON.stringify(errors, null, 2)}`).toBe(true);
}

/** The same without room for fields that nobody described. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const isOpen = 'properties' in schema && !('additionalProperties' in schema);
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}
