import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attention } from '@agent-relay/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Reading } from '../clis/reading.ts';
import { HookIngress } from './hook-ingress.ts';
import type { HookReport } from './hook-report.ts';
import { HookServer } from './hook-server.ts';

const composer = (busy = false, draft = ''): Reading => ({ state: 'composer', busy, draft });
const MESSAGE = { id: 'msg_1', text: 'Relay message from Alice [msg_1]: from a peer agent\n| Hi.' };
const OPEN_TO_URGENT = { wait: { code: 'busy' }, isOpenToUrgent: true };

let directory: string;
let hooks: HookServer;
let ingress: HookIngress;
let screen: Reading;
let screenTurns: boolean;
let hasTyped: boolean;
let changed: () => void;
const sockets: Socket[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-hooks-'));
  hooks = await HookServer.listen(join(directory, 'hook'));
  [screen, screenTurns, hasTyped] = [composer(), false, false];
  changed = () => undefined;
  start();
});
afterEach(async () => {
  vi.useRealTimers();
  ingress.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  await hooks[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const sessions: string[] = [];

function start(attention?: Attention): void {
  ingress?.close();
  const agent = {
    reading: () => screen,
    typedWithin: () => hasTyped,
    turnStarts: async () => screenTurns,
    attention,
    onChange: () => changed(),
    onSession: (id: string) => sessions.push(id),
  };
  ingress = new HookIngress(hooks, agent, (error) =>
    error === 'rate_limit' ? { code: 'usage_limit' } : undefined,
  );
}

let started = 0;

/** A hook's process: tells its event, and perhaps waits. */
async function hook(event: string, more: Partial<HookReport> = {}): Promise<Socket> {
  const told = new Promise<void>((resolve) => {
    changed = resolve;
  });
  const socket = connect(join(directory, 'hook'));
  sockets.push(socket);
  const waits = ['SessionStart', 'UserPromptSubmit', 'Stop'].includes(event);
  socket.write(
    `${JSON.stringify({ event, startedAt: ++started, waits, isSubagent: false, messages: [], ...more })}\n`,
  );
  await told;
  return socket;
}

/** A process that waits, takes the message, and ends. */
async function takingHook(event: string): Promise<void> {
  const socket = await hook(event);
  socket.once('data', () => socket.end('{"taken":true}\n'));
}

const seen = () => hook('UserPromptSubmit', { promptId: 'p1', messages: [MESSAGE.id] });

describe('the gate of the hooks', () => {
  it('opens when a process waits and the agent is idle, whatever the person has typed', async () => {
    expect(ingress.gate()).toEqual({ wait: { code: 'no_hook' }, isDown: true });
    const waiting = await hook('SessionStart');
    expect(ingress.gate()).toBe('open');
    screen = composer(false, 'a draft');
    expect(ingress.gate()).toBe('open');
    screen = { state: 'unknown' };
    expect(ingress.gate()).toBe('open');
    waiting.destroy();
    await expect.poll(() => ingress.gate()).toMatchObject({ isDown: true });
  });

  it('stays the way of messages between the process that took one in a turn and the next', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const taking = await hook('UserPromptSubmit');
    screen = composer(true);
    const gone = new Promise<void>((resolve) => {
      changed = resolve;
    });
    taking.destroy();
    await gone;
    expect(ingress.gate()).toEqual({ wait: { code: 'busy' } });
    screen = composer();
    expect(ingress.gate()).toEqual({ wait: { code: 'busy' } });
    await hook('Stop');
    expect(ingress.gate()).toBe('open');
  });

  it('is given up if no process follows within two idle seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const taking = await hook('UserPromptSubmit');
    taking.destroy();
    await vi.waitFor(() => expect(ingress.gate()).toEqual({ wait: { code: 'busy' } }));
    vi.advanceTimersByTime(2000);
    expect(ingress.gate()).toEqual({ wait: { code: 'no_hook' }, isDown: true });
  });

  it.each<[string, Reading, string]>([
    ['a dialog', { state: 'dialog' }, 'approval_dialog'],
    ['a menu', { state: 'menu' }, 'unknown_screen'],
    ['a trust question', { state: 'starting', question: 'trust question' }, 'starting'],
    ['a suspended CLI', { state: 'suspended' }, 'unknown_screen'],
  ])('is closed at %s', async (_what, reading, code) => {
    await hook('SessionStart');
    screen = reading;
    expect(ingress.gate()).toMatchObject({ wait: { code } });
  });

  it('is closed while the agent asks on a screen that nobody can read', async () => {
    await hook('UserPromptSubmit');
    await hook('PermissionRequest');
    screen = { state: 'unknown' };
    expect(ingress.gate()).toEqual({ wait: { code: 'approval_dialog' } });
  });

  it('is closed from the word of a dialog until it has left the screen', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    await hook('UserPromptSubmit');
    await hook('PermissionRequest');
    const waiting = { wait: { code: 'approval_dialog' } };
    for (const reading of [composer(true), { state: 'unknown' }, { state: 'dialog' }] as const) {
      screen = reading;
      expect(ingress.gate()).toEqual(waiting);
    }
    screen = composer(true);
    expect(ingress.gate()).toEqual(OPEN_TO_URGENT);
    // One that something else has answered never comes.
    await hook('PermissionRequest');
    expect(ingress.gate()).toEqual(waiting);
    vi.advanceTimersByTime(3000);
    expect(ingress.gate()).toEqual(OPEN_TO_URGENT);
  });

  it.each<[Attention | undefined, unknown]>([
    [undefined, OPEN_TO_URGENT],
    ['now', 'open'],
    ['next-tool-call', 'open'],
    ['end-of-turn', { wait: { code: 'attention' } }],
  ])('during a turn is as the agent wants it: %s', async (attention, gate) => {
    start(attention);
    screen = composer(true);
    await hook('UserPromptSubmit');
    expect(ingress.gate()).toEqual(gate);
    await hook('Stop');
    expect(ingress.gate()).toBe('open');
  });

  it('lets a person who interrupted the agent speak first', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    await hook('UserPromptSubmit');
    // The screen may be behind, or the report of the end.
    expect(ingress.gate()).toEqual(OPEN_TO_URGENT);
    vi.advanceTimersByTime(2000);
    expect(ingress.gate()).toBe('open');
    expect(ingress.hold()).toEqual({ code: 'interrupted' });
    vi.advanceTimersByTime(10_000);
    expect(ingress.hold()).toBeUndefined();
  });

  it('does not take a turn for interrupted because the screen was idle at the end of the one before', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    await hook('UserPromptSubmit');
    expect(ingress.gate()).toEqual(OPEN_TO_URGENT);
    await hook('Stop');
    vi.advanceTimersByTime(60_000);
    await hook('UserPromptSubmit');
    expect(ingress.gate()).toEqual(OPEN_TO_URGENT);
    expect(ingress.hold()).toBeUndefined();
  });

  it('holds messages at a limit', async () => {
    await hook('StopFailure', { error: 'rate_limit' });
    expect(ingress.hold()).toMatchObject({ code: 'usage_limit' });
  });
});

describe('a message by the hooks', () => {
  it('is injected when a prompt with it is told, and in a turn when the model has answered', async () => {
    await takingHook('Stop');
    const outcome = ingress.deliver(MESSAGE);
    await seen();
    expect(await outcome).toBe('injected');
    const turn = ingress.turnStarts(1, () => true);
    await hook('Stop', { promptId: 'another' });
    await hook('Stop', { promptId: 'p1' });
    expect(await turn).toBe(true);
  });

  it('is in a turn when the screen shows one', async () => {
    screenTurns = true;
    await takingHook('Stop');
    const outcome = ingress.deliver(MESSAGE);
    await seen();
    expect(await outcome).toBe('injected');
    expect(await ingress.turnStarts(1, () => true)).toBe(true);
  });

  it('is not begun without a process that waits, or with one whose CLI is gone', async () => {
    expect(await ingress.deliver(MESSAGE)).toBe('not begun');
    const orphan = await hook('Stop');
    orphan.once('data', () => orphan.end('{"taken":false}\n'));
    expect(await ingress.deliver(MESSAGE)).toBe('not begun');
  });

  it('may take any time while the agent works', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    screen = composer(true);
    await takingHook('UserPromptSubmit');
    const outcome = ingress.deliver(MESSAGE);
    vi.advanceTimersByTime(3_600_000);
    await seen();
    expect(await outcome).toBe('injected');
  });

  it('is uncertain if its process dies with it, and found if it is seen later', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const found: string[] = [];
    ingress.onFound = (id) => found.push(id);
    const dying = await hook('Stop');
    const outcome = ingress.deliver(MESSAGE);
    await once(dying, 'data');
    dying.destroy();
    vi.advanceTimersByTime(10_000);
    expect(await outcome).toBe('uncertain');
    await seen();
    expect(found).toEqual([MESSAGE.id]);
  });
});

it('tells which conversation the CLI is in, whenever that changes', async () => {
  start();
  sessions.length = 0;
  await hook('SessionStart', { session: 'one' });
  await hook('SessionStart', { session: 'two', source: 'clear' });
  expect(sessions).toEqual(['one', 'two']);
});

describe('a permission prompt', () => {
  const DIALOG: Reading = { state: 'dialog' };
  const tool = (command: string) => ({ name: 'Bash', input: { command, description: 'Cleans' } });
  const asks = (command: string, more: object = {}) =>
    hook('PermissionRequest', { asks: true, tool: tool(command), ...more });
  const heard = async (socket: Socket): Promise<unknown> => {
    const [bytes] = await once(socket, 'data');
    return JSON.parse(String(bytes));
  };

  it('can be answered while its dialog is on the screen, and is told from another one', async () => {
    const process = await asks('rm -r build');
    expect(ingress.prompt()).toBeUndefined();
    screen = DIALOG;
    const first = ingress.prompt();
    expect(first?.ask).toEqual({ kind: 'command', command: 'rm -r build', description: 'Cleans' });
    expect(await ingress.answer('another', 'allow')).toBe(false);
    const answer = heard(process);
    expect(await ingress.answer(first?.key ?? '', 'deny')).toBe(true);
    expect(await answer).toEqual({ answer: 'deny' });
    expect(await ingress.answer(first?.key ?? '', 'allow')).toBe(false);
    await asks('rm -r build');
    expect(ingress.prompt()?.key).not.toBe(first?.key);
  });

  it('is left to the terminal once its dialog is gone from there', async () => {
    const process = await asks('rm -r build');
    screen = DIALOG;
    const { key = '' } = ingress.prompt() ?? {};
    screen = { state: 'unknown' };
    expect(ingress.prompt()).toBeUndefined();
    screen = DIALOG;
    expect(ingress.prompt()?.key).toBe(key);
    const answer = heard(process);
    const late = ingress.answer(key, 'allow');
    screen = composer(true);
    expect(await late).toBe(false);
    expect(await answer).toEqual({});
    screen = DIALOG;
    expect(ingress.prompt()).toBeUndefined();
  });

  it('is not answered from elsewhere while a key in the terminal may have answered it', async () => {
    const process = await asks('rm -r build');
    screen = DIALOG;
    const { key = '' } = ingress.prompt() ?? {};
    hasTyped = true;
    const answer = heard(process);
    const late = ingress.answer(key, 'allow');
    // Longer than it takes without a key.
    await expect(Promise.race([late, delay(500, 'waits')])).resolves.toBe('waits');
    screen = composer(true);
    expect(await late).toBe(false);
    expect(await answer).toEqual({});
  });

  it.each<[object, string, Record<string, unknown>]>([
    [{ kind: 'command', command: 'ls' }, 'Bash', { command: 'ls', timeout: 9, run_in_background: true }],
    [
      { kind: 'tool', tool: 'Bash', input: '{\n  "command": "ls",\n  "dangerouslyDisableSandbox": true\n}' },
      'Bash',
      { dangerouslyDisableSandbox: true, command: 'ls' },
    ],
    [{ kind: 'tool', tool: 'Write', input: '{\n  "file_path": "a"\n}' }, 'Write', { file_path: 'a' }],
  ])('asks for %j', async (ask, name, input) => {
    await hook('PermissionRequest', { asks: true, tool: { name, input } });
    screen = DIALOG;
    expect(ingress.prompt()?.ask).toEqual(ask);
  });

  it.each<[string, object]>([
    ['a question', { tool: { name: 'AskUserQuestion', input: {} } }],
    ['a tool that is not named', { tool: undefined }],
    ['a subagent', { isSubagent: true }],
  ])('of %s is left to the terminal', async (_what, more) => {
    screen = DIALOG;
    expect(await heard(await asks('ls', more))).toEqual({});
    expect(ingress.prompt()).toBeUndefined();
  });

  it('is left to the terminal when a second one comes: nobody knows which dialog is shown', async () => {
    screen = DIALOG;
    const first = heard(await asks('ls'));
    const second = await asks('rm -r build', { isSubagent: true });
    expect(await first).toEqual({});
    expect(await heard(second)).toEqual({});
    expect(ingress.prompt()).toBeUndefined();
  });

  it('is gone with the process of its hook', async () => {
    screen = DIALOG;
    const process = await asks('ls');
    expect(ingress.prompt()).toBeDefined();
    process.destroy();
    await expect.poll(() => ingress.prompt()).toBeUndefined();
  });
});
