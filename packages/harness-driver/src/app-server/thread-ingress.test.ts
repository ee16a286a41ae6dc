import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attention } from '@agent-relay/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { AppServerProxy } from './app-server-proxy.ts';
import type { RpcMessage } from './rpc.ts';
import { ThreadIngress } from './thread-ingress.ts';

/** An app server that answers what the terminal tells it to: `{ say: [...] }` is written out as it is. */
const SERVER = `
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.say) message.say.forEach(say);
  else if (message.method === 'thread/start') say({ id: message.id, result: { thread: message.params } });
  else say({ method: 'test/received', params: message });
}`;
const THREAD = { id: 't1', ephemeral: false, parentThreadId: null, status: { type: 'idle' } };
const MESSAGE = { id: 'msg_1', text: 'Relay message' };

let directory: string;
let proxy: AppServerProxy;
let ingress: ThreadIngress;
let terminal: WebSocket;
let attention: Attention | undefined;
let heard: RpcMessage[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-app-'));
  attention = undefined;
  heard = [];
  const file = join(directory, 'server.mjs');
  await writeFile(file, SERVER);
  const options = { file: process.execPath, args: [file], cwd: directory, env: process.env };
  proxy = await AppServerProxy.start(join(directory, 'codex'), options);
  ingress = new ThreadIngress(proxy, {
    reading: () => ({ state: 'unknown' }),
    typedWithin: () => false,
    turnStarts: async () => false,
    get attention() {
      return attention;
    },
    onChange: () => undefined,
    onSession: () => undefined,
  });
});
afterEach(async () => {
  vi.useRealTimers();
  ingress.close();
  terminal?.terminate();
  await proxy[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

it('has a socket for this user alone', async () => {
  expect(((await stat(join(directory, 'codex'))).mode & 0o777).toString(8)).toBe('600');
});

/** The terminal of the CLI, which is told everything that the server says. */
async function connectTerminal(thread: object = THREAD): Promise<void> {
  terminal = new WebSocket(`ws+unix://${join(directory, 'codex')}:/`);
  terminal.on('message', (data) => heard.push(JSON.parse(String(data))));
  await new Promise((resolve) => terminal.once('open', resolve));
  terminal.send(JSON.stringify({ id: 1, method: 'thread/start', params: thread }));
  await expect.poll(() => heard).toContainEqual({ id: 1, result: { thread } });
}

/** Lets the server say something, and waits until the terminal has it. */
async function says(...messages: object[]): Promise<void> {
  terminal.send(JSON.stringify({ say: messages }));
  await expect.poll(() => heard).toEqual(expect.arrayContaining(messages));
}

const status = (type: string, ...activeFlags: string[]) => ({
  method: 'thread/status/changed',
  params: { threadId: 't1', status: { type, activeFlags } },
});
const turn = (method: string, more: object = {}) => ({
  method,
  params: { threadId: 't1', turn: { id: 'u1', ...more } },
});
const item = (type: string, more: object = {}) => ({
  method: 'item/completed',
  params: { threadId: 't1', turnId: 'u1', item: { type, ...more } },
});
const inThread = item('userMessage', { clientId: MESSAGE.id });

/** What the relay asked the server. */
const asked = () =>
  expect
    .poll(() => heard.find(({ method }) => method === 'test/received')?.params)
    .toBeDefined()
    .then(() => heard.find(({ method }) => method === 'test/received')?.params as RpcMessage);

it('is down without a terminal, and starting until that has opened a thread', async () => {
  expect(ingress.gate()).toMatchObject({ isDown: true });
  await connectTerminal({ ...THREAD, ephemeral: true });
  expect(ingress.gate()).toEqual({ wait: { code: 'starting' } });
  terminal.terminate();
  await expect.poll(() => ingress.gate()).toMatchObject({ isDown: true });
});

it('is open while the thread is idle, and closed while it asks', async () => {
  await connectTerminal();
  expect(ingress.gate()).toBe('open');
  await says(status('active', 'waitingOnApproval'));
  expect(ingress.gate()).toEqual({ wait: { code: 'approval_dialog' } });
  await says(status('active'));
  expect(ingress.gate()).toEqual({ wait: { code: 'busy' }, isOpenToUrgent: true });
  attention = 'end-of-turn';
  expect(ingress.gate()).toEqual({ wait: { code: 'attention' } });
  attention = 'now';
  expect(ingress.gate()).toBe('open');
  await says(status('idle'));
  expect(ingress.gate()).toBe('open');
});

it('begins a turn with a message, and has seen it when it is in the thread', async () => {
  await connectTerminal();
  const outcome = ingress.deliver(MESSAGE);
  const request = await asked();
  expect(request).toMatchObject({
    method: 'turn/start',
    params: {
      threadId: 't1',
      clientUserMessageId: MESSAGE.id,
      input: [{ type: 'text', text: MESSAGE.text }],
    },
  });
  terminal.send(JSON.stringify({ say: [{ id: request.id, result: {} }] }));
  await says(turn('turn/started'), inThread);
  expect(await outcome).toBe('injected');
  // The answer was the relay's, and is not for the terminal.
  expect(heard.some(({ id }) => id === request.id)).toBe(false);
  const started = ingress.turnStarts(1);
  await says(item('agentMessage'));
  expect(await started).toBe(true);
});

it('brings a message into the turn the thread is in', async () => {
  await connectTerminal();
  await says(status('active'), turn('turn/started'));
  const outcome = ingress.deliver(MESSAGE);
  const request = await asked();
  expect(request).toMatchObject({ method: 'turn/steer', params: { expectedTurnId: 'u1' } });
  terminal.send(JSON.stringify({ say: [{ id: request.id, result: {} }] }));
  await says(inThread);
  expect(await outcome).toBe('injected');
});

it('has not begun what the server refuses', async () => {
  await connectTerminal();
  const outcome = ingress.deliver(MESSAGE);
  const { id } = await asked();
  terminal.send(JSON.stringify({ say: [{ id, error: { message: 'no' } }] }));
  expect(await outcome).toBe('not begun');
  expect(ingress.gate()).toMatchObject({ isDown: true });
});

it('is uncertain of what the server took and never showed, until it shows', async () => {
  const found: string[] = [];
  ingress.onFound = (id) => found.push(id);
  await connectTerminal();
  const outcome = ingress.deliver(MESSAGE);
  const { id } = await asked();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  terminal.send(JSON.stringify({ say: [{ id, result: {} }, status('idle')] }));
  await vi.waitUntil(() => heard.some(({ method }) => method === 'thread/status/changed'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await outcome).toBe('uncertain');
  vi.useRealTimers();
  await says(inThread);
  expect(found).toEqual([MESSAGE.id]);
});

it.each([
  ['usageLimitExceeded', '', 'usage_limit'],
  ['unauthorized', '', 'signed_out'],
  ['other', 'unexpected status 401 Unauthorized', 'signed_out'],
  ['other', 'Missing environment variable: `KEY`.', 'signed_out'],
  ['other', 'exceeded retry limit, last status: 429 Too Many Requests', 'usage_limit'],
  ['contextWindowExceeded', '', 'context_full'],
])('holds messages after a turn that failed: %s %s', async (codexErrorInfo, message, code) => {
  await connectTerminal();
  await says(turn('turn/completed', { status: 'failed', error: { message, codexErrorInfo } }));
  expect(ingress.hold()).toMatchObject({ code });
  await says(turn('turn/completed', { status: 'completed' }));
  expect(ingress.hold()).toBeUndefined();
  await says(turn('turn/completed', { status: 'interrupted' }));
  expect(ingress.hold()).toEqual({ code: 'interrupted' });
});

it.each([
  ['contextWindowExceeded', undefined],
  ['unauthorized', 'signed_out'],
])('holds messages in another thread only for what is wrong there too: %s', async (codexErrorInfo, code) => {
  await connectTerminal();
  await says(turn('turn/completed', { status: 'failed', error: { codexErrorInfo } }));
  const thread = { ...THREAD, id: 't2' };
  terminal.send(JSON.stringify({ id: 2, method: 'thread/start', params: thread }));
  await expect.poll(() => heard).toContainEqual({ id: 2, result: { thread } });
  expect(ingress.hold()?.code).toBe(code);
});

const approval = (id: number, command: string, more: object = {}) => ({
  id,
  method: 'item/commandExecution/requestApproval',
  params: { threadId: 't1', turnId: 'u1', itemId: 'i1', kind: 'command', command, ...more },
});
const toServer = () => heard.filter(({ method }) => method === 'test/received').map(({ params }) => params);

it('answers the prompt that was seen, and passes nothing on that the terminal says to it later', async () => {
  await connectTerminal();
  expect(ingress.prompt()).toBeUndefined();
  await says(approval(7, 'rm -r build\u001b[2J', { reason: 'tidy up' }));
  const seen = ingress.prompt();
  expect(seen?.ask).toEqual({ kind: 'command', command: 'rm -r build\u001b[2J', description: 'tidy up' });
  expect(await ingress.answer('0'.repeat(64), 'allow')).toBe(false);
  expect(await ingress.answer(seen?.key ?? '', 'allow')).toBe(true);
  expect(await ingress.answer(seen?.key ?? '', 'deny')).toBe(false);
  expect(ingress.prompt()).toBeUndefined();
  terminal.send(JSON.stringify({ id: 7, result: { decision: 'cancel' } }));
  await says({ method: 'test/after' });
  expect(toServer()).toEqual([{ id: 7, result: { decision: 'accept' } }]);
});

it('tells two prompts apart that ask for the same', async () => {
  await connectTerminal();
  await says(approval(1, 'ls'));
  const first = ingress.prompt()?.key ?? '';
  terminal.send(JSON.stringify({ id: 1, result: { decision: 'accept' } }));
  await expect.poll(() => ingress.prompt()).toBeUndefined();
  await says(approval(2, 'ls'));
  expect(ingress.prompt()?.key).not.toBe(first);
  expect(await ingress.answer(first, 'allow')).toBe(false);
});

it('is asked about changes of files with what they change', async () => {
  await connectTerminal();
  const starts = (...changes: object[]) =>
    says({
      method: 'item/started',
      params: { threadId: 't1', turnId: 'u1', item: { type: 'fileChange', id: 'i1', changes } },
    });
  await starts({ path: 'a.txt', kind: { type: 'add' }, diff: '+hello' });
  await says({
    id: 3,
    method: 'item/fileChange/requestApproval',
    params: { threadId: 't1', turnId: 'u1', itemId: 'i1' },
  });
  const asks = () => ingress.prompt()?.ask;
  expect(asks()).toEqual({ kind: 'files', changes: [{ path: 'a.txt', how: 'add', content: '+hello' }] });
  const { key } = ingress.prompt() ?? {};
  await starts({ path: 'a.txt', kind: { type: 'update', move_path: '/etc/b' }, diff: '+hello' });
  expect(asks()).toMatchObject({ changes: [{ path: 'a.txt', how: 'change', to: '/etc/b' }] });
  expect(ingress.prompt()?.key).not.toBe(key);
  // A kind of change that another version may have.
  await starts({ path: 'a.txt', kind: { type: 'link' }, diff: '' });
  expect(ingress.prompt()).toBeUndefined();
});

it.each([
  ['more than one command is allowed', approval(4, 'curl', { networkApprovalContext: { host: 'x' } })],
  ['it asks for more permissions', approval(4, 'ls', { additionalPermissions: { network: true } })],
  ['keys are typed into a program', approval(4, 'y', { kind: 'writeStdin' })],
  ['another thread asks', approval(4, 'ls', { threadId: 't2' })],
  [
    'the person is asked to choose',
    { id: 4, method: 'item/tool/requestUserInput', params: { threadId: 't1' } },
  ],
])('leaves it to the terminal when %s', async (_, request) => {
  await connectTerminal();
  await says(request);
  expect(ingress.prompt()).toBeUndefined();
});

it('has no prompt any more when the server says that it is resolved', async () => {
  await connectTerminal();
  await says(approval(5, 'ls'));
  await says({ method: 'serverRequest/resolved', params: { threadId: 't1', requestId: 5 } });
  expect(ingress.prompt()).toBeUndefined();
});
