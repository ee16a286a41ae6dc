import { createHash, randomBytes } from 'node:crypto';
import { newAgentToken } from '@agent-relay/platform/secrets';
import type { ErrorPayload, SendResult } from '@agent-relay/protocol';
import { FrameClient } from '../../bench/frame-client.ts';

/** Started by `quota-floods`: exceeds a limit as fast as it can, until killed. */

export type FloodName =
  | 'channels'
  | 'names'
  | 'tools'
  | 'files'
  | 'reactions'
  | 'awaits'
  | 'calls'
  | 'mcp-sessions'
  | 'mcp-streams';

export interface FloodReport {
  accepted: number;
  refused: number;
  /** Error codes other than limits. */
  others: string[];
}

const IN_FLIGHT = 128;
/** The maximum of open uploads per agent. */
const UPLOADS = 4;
const EMOJI = Array.from({ length: 200 }, (_, number) => `:face_${number}:`);

const [name, socketPath = '', key = '', mcp = ''] = process.argv.slice(2) as [
  FloodName,
  string,
  string,
  string,
];
const report: FloodReport = { accepted: 0, refused: 0, others: [] };

function count(code: string | undefined): void {
  if (code === undefined) report.accepted += 1;
  else if (code === 'LimitReached') report.refused += 1;
  else if (!report.others.includes(code)) report.others.push(code);
}

const callOf = (tool: string, text: string) => ({
  ...{ kind: 'mcp_tool_call', server: 'Callee', tool, arguments: { text }, timeoutMs: 600_000 },
});

async function connected(): Promise<FrameClient> {
  const hello = {
    name: `flooder-${name}-${process.pid}`,
    token: newAgentToken(),
    workspaceKey: key,
    paths: [],
  };
  return (await FrameClient.connect(socketPath, hello)).client;
}

/** Keeps many requests under way on one connection. */
async function pipeline(
  client: FrameClient,
  next: (number: number) => [string, unknown],
  inFlight = IN_FLIGHT,
): Promise<void> {
  let number = 0;
  const ask = () => {
    const [type, payload] = next(++number);
    client.request(type, `flood-${number}`, payload);
  };
  client.onText = (text) => {
    const { type, payload } = JSON.parse(text) as { type: string; payload: ErrorPayload };
    if (type === 'PING') client.request('PONG', 'pong', {});
    if (type !== 'ACK' && type !== 'ERROR') return;
    count(type === 'ERROR' ? payload.code : undefined);
    ask();
  };
  for (let i = 0; i < inFlight; i++) ask();
}

/** Repeats an action concurrently. */
async function repeat(once: (number: number) => Promise<string | undefined>, atOnce = 8): Promise<void> {
  let number = 0;
  const loop = async () => {
    for (;;) count(await once(++number));
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
}

/** Registers a new name; returns the code of a refusal. */
async function register(number: number, tools: object[]): Promise<string | undefined> {
  const client = await FrameClient.open(socketPath);
  const hello = { name: `flood-${process.pid}-${number}x`, workspaceKey: key, paths: [], tools };
  const { type, payload } = await client.ask('HELLO', 'hello', hello);
  client.close();
  return type === 'WELCOME' ? undefined : (payload as ErrorPayload).code;
}

async function post(path: string, body: object | undefined): Promise<string | undefined> {
  const response = await fetch(`${mcp}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  // A stream is kept open, and so is the session that has one.
  if (response.ok && !body) return undefined;
  const text = await response.text();
  return response.ok ? undefined : (JSON.parse(text).error.data?.error.code as string);
}

const FLOODS: Record<FloodName, () => Promise<void>> = {
  channels: async () =>
    pipeline(await connected(), (number) => ['CHANNEL_CREATE', { name: `flood-${process.pid}-${number}x` }]),
  names: () => repeat((number) => register(number, [])),
  tools: () => {
    const tools = Array.from({ length: 230 }, (_, number) => ({
      name: `tool-${number}`,
      description: 'x'.repeat(4000),
      inputSchema: {},
    }));
    return repeat((number) => register(number, tools), 2);
  },
  files: async () => {
    const client = await connected();
    const file = (number: number): [string, unknown] => {
      const content = randomBytes(16 * 1024);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const finish = { name: 'flood', mediaType: 'text/plain', sha256 };
      return ['ATTACH', { upload: `u${number}`, offset: 0, data: content.toString('base64'), finish }];
    };
    return pipeline(client, file, UPLOADS);
  },
  reactions: async () => {
    const client = await connected();
    const message = { to: 'Bystander', content: 'look' };
    const { messageId } = (await client.ask('SEND', 'first', message)).payload as SendResult;
    return pipeline(client, (number) => [
      'REACT',
      { message: messageId, emoji: EMOJI[number % EMOJI.length] },
    ]);
  },
  awaits: async () =>
    pipeline(await connected(), (number) => [
      'SEND',
      { to: 'Bystander', content: `question ${number}`, await: { timeoutMs: 600_000 } },
    ]),
  // Nobody answers them, so that they stay open.
  calls: async () => pipeline(await connected(), () => ['CALL', callOf('slow', 'x'.repeat(200_000))], 16),
  'mcp-sessions': () =>
    repeat(() =>
      post('', {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'f', version: '1' } },
      }),
    ),
  'mcp-streams': () => repeat(() => post('/sse', undefined)),
};

process.on('message', () => process.send?.(report));
process.once('disconnect', () => process.exit());
await FLOODS[name]();
