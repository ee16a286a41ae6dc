import { type NodeConnectOptions, type Relay, RelayError } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scripted, tool } from '../../gateway/kit/gateway-kit.ts';
import type { TestDaemon } from '../../kit/daemon.ts';
import { startDaemonWithServers } from '../../kit/daemon-with-servers.ts';
import { json } from '../../kit/results.ts';
import { callTool, connectClient, connectStdio, type TestClient } from '../../mcp/kit/clients.ts';
import { httpTransport } from '../../mcp/kit/http-door.ts';
import { client } from '../messaging/commands.ts';

const BURST = 2;

let daemon: TestDaemon;
let owner: Relay;
let bob: Relay;
let mcp: string;
beforeAll(async () => {
  daemon = await startDaemonWithServers([scripted('near', { tools: [tool('echo')] })], {
    settings: { rateLimit: { perSecond: 0.001, burst: BURST }, mcp: { http: true, port: 0 } },
  });
  owner = await client(daemon);
  bob = await client(daemon, { name: 'Bob' });
  await bob.exposeTool({
    name: 'sum',
    description: 'Adds numbers',
    input: z.object({}),
    handler: () => 'done',
  });
  ({ mcp } = json(await daemon.cli(['status', '--json'])));
});
afterAll(async () => {
  await bob?.close();
  await owner?.close();
  await daemon?.[Symbol.asyncDispose]();
});

/** Calls `server.tool`; rejects with the error that its client gets. */
type Call = (server: string, tool: string) => Promise<unknown>;
interface Caller extends AsyncDisposable {
  /** Who the audit log says it is. */
  actor: string;
  call: Call;
}

async function newKey(): Promise<{ key: string; actor: string }> {
  const { key, keyId } = await owner.request('KEY_CREATE', {});
  return { key, actor: `key ${keyId}` };
}

async function bySdk(actor: string, options: NodeConnectOptions): Promise<Caller> {
  const relay = await client(daemon, options);
  return {
    actor,
    call: (server, name) => relay.call(`${server}.${name}`, {}),
    [Symbol.asyncDispose]: () => relay.close(),
  };
}

const rest = (actor: string, secret: string): Caller => ({
  actor,
  async call(server, name) {
    const response = await fetch(`http://${daemon.http}/api/mcp/call`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ server, tool: name }),
    });
    const answer = await response.json();
    if (!answer.success) throw new RelayError(answer.code, answer.error);
  },
  [Symbol.asyncDispose]: async () => undefined,
});

const byMcp = (actor: string, session: TestClient): Caller => ({
  actor,
  async call(server, name) {
    const reply = await callTool(session, 'invoke_action', { name: `${server}.${name}`, wait: true });
    if (reply.isError)
      throw new RelayError(/RateLimited/.test(reply.texts.join()) ? 'RateLimited' : 'Internal');
  },
  [Symbol.asyncDispose]: () => session.close(),
});

const socketUrl = () => `ws://${daemon.http}/ws`;

const CALLS: ReadonlyArray<[door: string, open: () => Promise<Caller>]> = [
  [
    'the unix socket, with a bare key',
    async () => {
      const { key, actor } = await newKey();
      return bySdk(actor, { workspaceKey: key });
    },
  ],
  ['the unix socket, as an agent', () => bySdk('Sam', { name: 'Sam' })],
  [
    'the WebSocket, with a bare key',
    async () => {
      const { key, actor } = await newKey();
      return bySdk(actor, { url: socketUrl(), workspaceKey: key });
    },
  ],
  [
    'the WebSocket, as an agent',
    async () => bySdk('Wes', { url: socketUrl(), workspaceKey: (await newKey()).key, name: 'Wes' }),
  ],
  [
    'REST, with a bare key',
    async () => {
      const { key, actor } = await newKey();
      return rest(actor, key);
    },
  ],
  [
    'REST, with an agent token',
    async () => {
      await (await client(daemon, { name: 'Rey' })).close();
      return rest('Rey', (await owner.request('TOKEN_ROTATE', { agent: 'Rey' })).token);
    },
  ],
];

const INVOCATIONS: typeof CALLS = [
  [
    'MCP over stdio',
    async () => {
      const env = { RELAY_AGENT_NAME: 'Ida' };
      return byMcp('Ida', await connectStdio(daemon, { env, args: ['serve', '--tools', 'actions'] }));
    },
  ],
  [
    'MCP over HTTP',
    async () => {
      const { key } = await newKey();
      const options = { key, agent: 'Hal', tools: 'actions' };
      return byMcp('Hal', await connectClient(httpTransport({ url: mcp }, options)));
    },
  ],
];

describe.each([
  { as: 'tool.called', doors: CALLS },
  { as: 'action.invoked', doors: INVOCATIONS },
])('$as', ({ as, doors }) => {
  it.each(doors)('is audited once, and counts against the send rate, through %s', async (_, open) => {
    await using caller = await open();
    await caller.call('Bob', 'sum');
    await caller.call('near', 'echo');
    await expect(caller.call('Bob', 'sum')).rejects.toMatchObject({ code: 'RateLimited' });
    const entries = json(await daemon.cli(['audit', '--json'])) as Array<Record<string, string>>;
    const own = entries.filter(({ actor, action }) => actor === caller.actor && action === as);
    expect(own.map(({ subject }) => subject).toSorted()).toEqual(['Bob.sum', 'near.echo']);
  });
});
