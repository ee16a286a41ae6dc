import { connect, type Relay } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveGatewayHttp } from '../../../packages/gateway/src/index.ts';
import { GatewayKit } from '../../gateway/kit/gateway-kit.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { json } from '../../kit/results.ts';
import { callTool, connectClient } from '../../mcp/kit/clients.ts';
import { headersOf, httpTransport } from '../../mcp/kit/http-door.ts';
import { client } from '../messaging/commands.ts';

const API_KEY = 'the-api-key-of-the-door';
const FLOOD = 70;
/** Each has the form of a right one, so that it is looked up like one. */
const WRONG = [
  'not-even-the-form-of-a-key',
  `rk_01234567_${'x'.repeat(43)}`,
  `at_${'x'.repeat(43)}`,
  `ps_01234567_${'x'.repeat(43)}`,
];

let daemon: TestDaemon;
let owner: Relay;
let key: string;
let token: string;
let session: string;
let mcp: string;
beforeAll(async () => {
  daemon = await startDaemon({
    settings: { mcp: { http: true, port: 0 } },
    env: { RELAY_MCP_API_KEY: API_KEY },
  });
  owner = await client(daemon);
  ({ key } = await owner.request('KEY_CREATE', {}));
  await (await client(daemon, { name: 'Alice' })).close();
  ({ token } = await owner.request('TOKEN_ROTATE', { agent: 'Alice' }));
  session = (await (await signIn(await newCode())).json()).session;
  ({ mcp } = json(await daemon.cli(['status', '--json'])));
});
afterAll(async () => {
  await owner?.close();
  await daemon?.[Symbol.asyncDispose]();
});

const newCode = async () => (await owner.request('PAGE_LINK', {})).url.split('#code=')[1] ?? '';
const at = (path: string) => `http://${daemon.http}${path}`;
const get = (url: string, secret: string) => fetch(url, { headers: { Authorization: `Bearer ${secret}` } });
const signIn = (code: string) =>
  fetch(at('/api/page/session'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  });

/** Resolves with the status of each wrong secret, when all are answered. */
const flood = async (ask: (secret: string) => Promise<Response>): Promise<number[]> =>
  Promise.all(
    Array.from({ length: FLOOD }, async (_, index) => {
      const response = await ask(WRONG[index % WRONG.length] ?? '');
      await response.body?.cancel();
      return response.status;
    }),
  );
const REFUSED = Array.from({ length: FLOOD }, () => 401);

describe(`${FLOOD} wrong keys, all from the address of the right one,`, () => {
  it.each([
    ['the API key', () => API_KEY],
    ['a workspace key', () => key],
    ['an agent token', () => token],
  ])('at the MCP door: %s opens a session, and its session goes on', async (_, secret) => {
    const open = () => connectClient(httpTransport({ url: mcp }, { key: secret(), tools: 'network' }));
    const works = async (one: Awaited<ReturnType<typeof open>>) =>
      expect(await callTool(one, 'relay_list_agents')).toMatchObject({ isError: false });
    await using live = await open();
    const flooding = flood((wrong) => get(mcp, wrong));
    await works(live);
    await using during = await open();
    await works(during);
    expect(await flooding).toEqual(REFUSED);
    await works(live);
    await using after = await open();
    await works(after);
  });

  it.each([
    ['a workspace key', () => ({ workspaceKey: key })],
    ['an agent token', () => ({ token })],
    ['a page session', () => ({ page: { session } })],
  ])('at the WebSocket: %s connects, and its connection goes on', async (_, credential) => {
    const open = (more: object) =>
      connect({ url: `ws://${daemon.http}/ws`, env: {}, reconnect: false, ...more });
    await using live = await open(credential());
    const flooding = Promise.allSettled(
      Array.from({ length: FLOOD }, (__, index) => open({ workspaceKey: WRONG[1 + (index % 2)] })),
    );
    await live.request('WHO', {});
    await using during = await open(credential());
    await during.request('WHO', {});
    for (const refused of await flooding)
      expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'Unauthorized' } });
    await live.request('WHO', {});
    await using after = await open(credential());
    await after.request('WHO', {});
  });

  it.each([
    ['REST', () => at('/api/mcp/capabilities'), () => [key, token, session]],
    ['the metrics', () => at('/metrics'), () => [key, API_KEY]],
  ])('at %s: every right one is answered', async (_, url, secrets) => {
    const flooding = flood((wrong) => get(url(), wrong));
    const statuses = async () =>
      Promise.all(secrets().map(async (secret) => (await get(url(), secret)).status));
    const fine = secrets().map(() => 200);
    expect(await statuses()).toEqual(fine);
    expect(await flooding).toEqual(REFUSED);
    expect(await statuses()).toEqual(fine);
  });

  it('at the sign-in: a link works', async () => {
    const flooding = flood(signIn);
    expect((await signIn(await newCode())).status).toBe(200);
    expect(await flooding).toEqual(REFUSED);
    expect((await signIn(await newCode())).status).toBe(200);
  });

  it('at the port of a gateway: its key works', async () => {
    await using kit = await GatewayKit.start([]);
    const front = await serveGatewayHttp(kit.gateway, { apiKey: API_KEY });
    const ask = (secret: string) => fetch(front.url, { headers: headersOf({ key: secret }) });
    const flooding = flood(ask);
    // It knows the key, and asks for a session.
    expect((await ask(API_KEY)).status).not.toBe(401);
    expect(await flooding).toEqual(REFUSED);
    expect((await ask(API_KEY)).status).not.toBe(401);
    await front.close();
  });
});

describe('a wrong secret', () => {
  const SLOW_MS = 250;
  it.each([
    ['the MCP door', () => get(mcp, WRONG[1] ?? '')],
    ['REST', () => get(at('/api/mcp/servers'), WRONG[2] ?? '')],
    ['the metrics', () => get(at('/metrics'), WRONG[0] ?? '')],
    ['the sign-in', () => signIn('pc_no-such-code')],
  ])('is answered late at %s', async (_, ask) => {
    const began = performance.now();
    expect((await ask()).status).toBe(401);
    // Timers may fire up to a millisecond early.
    expect(performance.now() - began).toBeGreaterThan(SLOW_MS - 2);
  });
});
