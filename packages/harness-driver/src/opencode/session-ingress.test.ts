import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Attention } from '@agent-relay/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Reading } from '../clis/reading.ts';
import { PluginServer } from './plugin-server.ts';
import { SessionIngress } from './session-ingress.ts';

const MESSAGE = { id: 'msg_1', text: 'Relay message' };
const PART = 'prt_msg_1';
const IDLE = { session: 's1', status: 'idle', asks: false };

let directory: string;
let server: PluginServer;
let ingress: SessionIngress;
let plugin: Socket;
let requests: Array<{ request: number; prompt?: unknown; find?: unknown }>;
let reports: number;
let reading: Reading;
let attention: Attention | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-plugin-'));
  requests = [];
  reports = 0;
  reading = { state: 'composer', draft: '', busy: false };
  attention = undefined;
  server = await PluginServer.listen(join(directory, 'opencode'));
  ingress = new SessionIngress(server, {
    reading: () => reading,
    typedWithin: () => false,
    turnStarts: async () => false,
    get attention() {
      return attention;
    },
    onChange: () => reports++,
    onSession: () => undefined,
  });
});
afterEach(async () => {
  vi.useRealTimers();
  ingress.close();
  plugin?.destroy();
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** The plugin in the CLI. */
async function connectPlugin(): Promise<void> {
  plugin = connect(join(directory, 'opencode'));
  createInterface({ input: plugin }).on('line', (line) => requests.push(JSON.parse(line)));
  await expect.poll(() => server.isConnected).toBe(true);
}

async function tells(...lines: object[]): Promise<void> {
  const before = reports;
  plugin.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await expect.poll(() => reports).toBeGreaterThanOrEqual(before + lines.length);
}

const shows = (state: object): Promise<void> => tells({ state });

async function asked() {
  await expect.poll(() => requests.length).toBeGreaterThan(0);
  return requests.shift() ?? { request: 0, prompt: undefined, find: undefined };
}

it('is down without a plugin, and on the start page', async () => {
  const down = { wait: { code: 'no_interface' }, isDown: true };
  expect(ingress.gate()).toEqual(down);
  await connectPlugin();
  expect(ingress.gate()).toEqual(down);
  await shows(IDLE);
  expect(ingress.gate()).toBe('open');
  await shows({});
  expect(ingress.gate()).toEqual(down);
  await shows(IDLE);
  plugin.destroy();
  await expect.poll(() => ingress.gate()).toEqual(down);
});

it('is open beside a draft and a menu, and waits while something asks the person', async () => {
  await connectPlugin();
  await shows(IDLE);
  reading = { state: 'composer', draft: 'not yet sent', busy: false };
  expect(ingress.gate()).toBe('open');
  reading = { state: 'menu' };
  expect(ingress.gate()).toBe('open');
  reading = { state: 'dialog' };
  expect(ingress.gate()).toEqual({ wait: { code: 'approval_dialog' } });
  reading = { state: 'unknown' };
  await shows({ ...IDLE, status: 'busy', asks: true });
  expect(ingress.gate()).toEqual({ wait: { code: 'approval_dialog' } });
});

it('takes messages during a turn as the agent wants it', async () => {
  await connectPlugin();
  await shows({ ...IDLE, status: 'busy' });
  expect(ingress.gate()).toEqual({ wait: { code: 'busy' }, isOpenToUrgent: true });
  attention = 'end-of-turn';
  expect(ingress.gate()).toEqual({ wait: { code: 'attention' } });
  attention = 'now';
  expect(ingress.gate()).toBe('open');
});

it('says until when the model refuses, and does not take every retry for a limit', async () => {
  await connectPlugin();
  await shows({ ...IDLE, status: 'retry', message: 'The usage limit is reached.', next: 5 });
  expect(ingress.gate()).toEqual({ wait: { code: 'usage_limit', until: 5 } });
  await shows({ ...IDLE, status: 'retry', message: 'Overloaded', next: 5 });
  expect(ingress.gate()).toEqual({ wait: { code: 'busy' } });
});

it('prompts the session under the id of the message, and sees it there and the model answer', async () => {
  await connectPlugin();
  await shows(IDLE);
  const delivered = ingress.deliver(MESSAGE);
  const { request, prompt } = await asked();
  expect(prompt).toEqual({ session: 's1', part: PART, text: 'Relay message' });
  await tells({ part: PART, prompt: 'p1' });
  plugin.write(`${JSON.stringify({ answer: request, taken: true })}\n`);
  expect(await delivered).toBe('injected');
  const turn = ingress.turnStarts(1000);
  await tells({ answers: 'p0' }, { answers: 'p1' });
  expect(await turn).toBe(true);
});

it('has begun nothing if another session is shown by now, or the session refuses', async () => {
  await connectPlugin();
  await shows(IDLE);
  for (const next of [{ ...IDLE, session: 's2' }, undefined]) {
    const delivered = ingress.deliver(MESSAGE);
    const { request } = await asked();
    if (next) await shows(next);
    plugin.write(`${JSON.stringify({ answer: request, refused: true })}\n`);
    expect(await delivered).toBe('not begun');
    expect(ingress.gate()).toEqual(next ? 'open' : { wait: { code: 'no_interface' }, isDown: true });
  }
});

it.each([
  [true, 'injected'],
  [false, 'uncertain'],
] as const)(
  'looks into the session if it was not told of the message: found is %s',
  async (found, outcome) => {
    await connectPlugin();
    await shows(IDLE);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const delivered = ingress.deliver(MESSAGE);
    const first = await asked();
    plugin.write(`${JSON.stringify({ answer: first.request, taken: true })}\n`);
    await tells({ answers: 'p0' });
    await vi.advanceTimersByTimeAsync(10_000);
    const { request, find } = await asked();
    expect(find).toEqual({ session: 's1', part: PART });
    plugin.write(`${JSON.stringify({ answer: request, found })}\n`);
    expect(await delivered).toBe(outcome);
  },
  20_000,
);

it('tells of a message that shows up later', async () => {
  const found: string[] = [];
  ingress.onFound = (id) => found.push(id);
  await connectPlugin();
  await shows(IDLE);
  const delivered = ingress.deliver(MESSAGE);
  await asked();
  ingress.close();
  plugin.destroy();
  expect(await delivered).toBe('uncertain');
  await connectPlugin();
  await tells({ part: PART, prompt: 'p1' });
  expect(found).toEqual(['msg_1']);
});

it.each([
  [{ name: 'MessageAbortedError', message: 'Aborted' }, 'interrupted'],
  [{ name: 'APIError', message: 'bad key', status: 401 }, 'signed_out'],
  [{ name: 'ProviderAuthError' }, 'signed_out'],
  [{ name: 'APIError', message: 'no', status: 429 }, 'usage_limit'],
  [{ name: 'ContextOverflowError' }, 'context_full'],
  [{ name: 'APIError', message: 'no', status: 500 }, undefined],
] as const)('holds messages after %j', async (failure, code) => {
  await connectPlugin();
  await shows(IDLE);
  await tells({ failed: 's2', ...failure });
  expect(ingress.hold()).toBeUndefined();
  await tells({ failed: 's1', ...failure });
  expect(ingress.hold()?.code).toBe(code);
  await tells({ succeeded: 's1' });
  expect(ingress.hold()).toBeUndefined();
});

it.each([
  [{ name: 'ContextOverflowError' }, undefined],
  [{ name: 'MessageAbortedError' }, 'interrupted'],
  [{ name: 'ProviderAuthError' }, 'signed_out'],
])('holds messages in another session only for what is wrong there too: %j', async (failure, code) => {
  await connectPlugin();
  await shows(IDLE);
  await tells({ failed: 's1', ...failure });
  await shows({ ...IDLE, status: 'busy' });
  expect(ingress.hold()).toBeDefined();
  await shows({});
  expect(ingress.hold()?.code).toBe(code);
});

describe('a permission request', () => {
  const ASKS = { ...IDLE, status: 'busy', asks: true };
  const bash = (id: string) => ({ id, permission: 'bash', metadata: { command: 'rm -r build' } });

  it('is a prompt that a person can answer, once it is told and until it is gone', async () => {
    await connectPlugin();
    expect(ingress.prompt()).toBeUndefined();
    await shows({ ...ASKS, permission: bash('per_1') });
    const first = ingress.prompt();
    expect(first?.ask).toEqual({ kind: 'command', command: 'rm -r build' });
    await shows({ ...ASKS, permission: bash('per_2') });
    const key = ingress.prompt()?.key ?? '';
    expect(key).not.toBe(first?.key);
    expect(await ingress.answer(first?.key ?? '', 'allow')).toBe(false);
    for (const [answer, reply, isTaken] of [
      ['deny', 'reject', true],
      ['allow', 'once', false],
    ] as const) {
      const sent = ingress.answer(key, answer);
      const { request, ...rest } = await asked();
      expect(rest).toEqual({ reply: { permission: 'per_2', reply } });
      plugin.write(`${JSON.stringify({ answer: request, taken: isTaken, refused: !isTaken })}\n`);
      expect(await sent).toBe(isTaken);
    }
    await shows(IDLE);
    expect(ingress.prompt()).toBeUndefined();
    expect(await ingress.answer(key, 'allow')).toBe(false);
    await shows({ ...ASKS, permission: bash('per_3') });
    plugin.destroy();
    await expect.poll(() => ingress.prompt()).toBeUndefined();
  });

  it.each([
    [
      { kind: 'files', changes: [{ path: 'a.ts', how: 'change', content: '-a\n+b' }] },
      { permission: 'edit', metadata: { filepath: 'a.ts', diff: '-a\n+b' } },
    ],
    [
      { kind: 'tool', tool: 'webfetch', input: '{\n  "url": "x"\n}' },
      { permission: 'webfetch', input: { url: 'x' } },
    ],
    [
      { kind: 'command', command: 'ls', description: 'Lists' },
      { permission: 'bash', input: { description: 'Lists', command: 'ls', timeout: 1000 } },
    ],
    // Elsewhere the same command may do something else.
    [
      { kind: 'tool', tool: 'bash', input: '{\n  "command": "rm -r *",\n  "workdir": "/"\n}' },
      { permission: 'bash', metadata: { command: 'rm -r *' }, input: { workdir: '/', command: 'rm -r *' } },
    ],
    [undefined, { permission: 'bash', isTooLong: true }],
  ])('asks for %j', async (ask, request) => {
    await connectPlugin();
    await shows({ ...ASKS, permission: { id: 'per_1', ...request } });
    expect(ingress.prompt()?.ask).toEqual(ask);
    expect(ingress.prompt()?.key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('that does not say what it is for is left to the terminal', async () => {
    await connectPlugin();
    const isUnclear = { permission: 'bash', metadata: { command: 'ls' }, input: { command: 'rm -r build' } };
    for (const request of [{ permission: 'bash' }, { permission: 'skill' }, { metadata: {} }, isUnclear]) {
      await shows({ ...ASKS, permission: { id: 'per_1', ...request } });
      expect(ingress.prompt()).toBeUndefined();
    }
  });
});
