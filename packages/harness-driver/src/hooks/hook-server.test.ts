import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hookCommand } from './hook-command.ts';
import type { HookReport } from './hook-report.ts';
import { HookServer } from './hook-server.ts';

let directory: string;
let hooks: HookServer;
let reports: HookReport[];
let told: () => void;
const started: ChildProcessWithoutNullStreams[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "relay's hooks-"));
  hooks = await HookServer.listen(join(directory, 'hook'));
  reports = [];
  told = () => undefined;
  hooks.onReport = (report) => {
    if (report) reports.push(report);
    told();
  };
});
afterEach(async () => {
  await hooks[Symbol.asyncDispose]();
  for (const hook of started.splice(0)) hook.kill('SIGKILL');
  await rm(directory, { recursive: true });
});

/** Runs the hook as a CLI does, and resolves when it has told its event. */
async function runHook(
  event: string,
  { wait = false, ask = false, more = {}, shell = (hook: string) => hook } = {},
) {
  const command = hookCommand(join(directory, 'hook'), ...(wait ? ['wait'] : ask ? ['ask'] : []));
  const hook = spawn('sh', ['-c', shell(command)], { stdio: 'pipe' });
  started.push(hook);
  const before = reports.length;
  hook.stdin.end(JSON.stringify({ hook_event_name: event, ...more }));
  await until(() => reports.length > before);
  const [stdout, stderr] = [text(hook.stdout), text(hook.stderr)];
  const ended = once(hook, 'exit').then(async ([code]) => ({
    code,
    stdout: await stdout,
    stderr: await stderr,
  }));
  return { hook, ended };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise<void>((resolve) => {
      told = resolve;
    });
  }
}

it('is for this user alone, whatever the umask', async () => {
  const umask = process.umask(0);
  await using server = await HookServer.listen(join(directory, 'another'));
  process.umask(umask);
  expect(((await stat(join(directory, 'another'))).mode & 0o777).toString(8)).toBe('600');
  expect(server.waiter).toBeUndefined();
});

const SILENT = { code: 0, stdout: '', stderr: '' };

it('is told what happens, and of a prompt only which messages are in it', async () => {
  const prompt = 'my secret, and [msg_1a] of [msg_2b]';
  const { ended } = await runHook('UserPromptSubmit', { more: { prompt, prompt_id: 'p1' } });
  expect(await ended).toEqual(SILENT);
  expect(reports).toEqual([
    {
      event: 'UserPromptSubmit',
      startedAt: expect.closeTo(Date.now(), -5),
      waits: false,
      asks: false,
      isSubagent: false,
      promptId: 'p1',
      messages: ['msg_1a', 'msg_2b'],
    },
  ]);
});

it('hands a message to the process that waits, which gives it to the model', async () => {
  const { ended } = await runHook('Stop', { wait: true });
  const message = `Relay message: ünï\n| ${'x'.repeat(6000)}`;
  expect(await hooks.waiter?.handOver(message)).toBe(true);
  expect(await ended).toEqual({ code: 2, stdout: '', stderr: message });
  expect(hooks.waiter).toBeUndefined();
});

it('keeps one process waiting, the newest', async () => {
  const first = await runHook('SessionStart', { wait: true });
  const second = await runHook('Stop', { wait: true });
  expect(await first.ended).toEqual(SILENT);
  expect(await hooks.waiter?.handOver('for the second')).toBe(true);
  expect(await second.ended).toMatchObject({ code: 2, stderr: 'for the second' });
});

it('knows at once that a process which waited was killed', async () => {
  const { hook } = await runHook('Stop', { wait: true });
  hook.kill('SIGKILL');
  await until(() => hooks.waiter === undefined);
});

it('gives nothing to a process whose CLI is gone', async () => {
  const asChild = (hook: string) => `${hook.replace('exec ', '')}; true`;
  const { hook: parent } = await runHook('Stop', { wait: true, shell: asChild });
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  expect(await hooks.waiter?.handOver('for nobody')).toBe(false);
});

it('ends the processes that wait when it ends', async () => {
  const { ended } = await runHook('Stop', { wait: true });
  await hooks[Symbol.asyncDispose]();
  expect(await ended).toEqual(SILENT);
  hooks = await HookServer.listen(join(directory, 'hook'));
});

it('lets a hook end silently that finds no host', async () => {
  const hook = spawn('sh', ['-c', hookCommand(join(directory, 'other'), 'wait')]);
  hook.stdin.end('{"hook_event_name":"Stop"}');
  const [stderr, [code]] = await Promise.all([text(hook.stderr), once(hook, 'exit')]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

it.each(['not JSON\n', '{"waits":true}\n', '{"event":"Stop"}\n', `${'x'.repeat(100_000)}\n`])(
  'ends a connection that tells %.20s',
  async (line) => {
    const socket = connect(join(directory, 'hook'));
    socket.on('error', () => undefined);
    socket.write(line);
    await once(socket.resume(), 'close');
    expect(reports).toEqual([]);
    expect(hooks.waiter).toBeUndefined();
  },
);

it.each([
  ['allow', { behavior: 'allow' }],
  ['deny', { behavior: 'deny', message: 'A person denied this.' }],
] as const)('passes on that a person decided %s, in the words of the CLI', async (answer, decision) => {
  const more = { tool_name: 'Bash', tool_input: { command: 'ls' } };
  const { ended } = await runHook('PermissionRequest', { ask: true, more });
  const { key = '' } = hooks.permission.prompt ?? {};
  expect(hooks.permission.answer(key, answer)).toBe(true);
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    hookSpecificOutput: { hookEventName: 'PermissionRequest', decision },
  });
});

it('says nothing about a permission that nobody decided', async () => {
  const more = { tool_name: 'Bash', tool_input: { command: 'ls' } };
  const { ended } = await runHook('PermissionRequest', { ask: true, more });
  hooks.permission.release();
  expect(await ended).toEqual(SILENT);
});

it('passes on that a tool is asked for whose arguments are too long to show', async () => {
  const more = { tool_name: 'Bash', tool_input: { command: 'x'.repeat(100_000) } };
  const { ended } = await runHook('PermissionRequest', { ask: true, more });
  const { key = '', ask } = hooks.permission.prompt ?? {};
  expect(ask).toBeUndefined();
  expect(hooks.permission.answer(key, 'deny')).toBe(true);
  expect(JSON.parse((await ended).stdout)).toMatchObject({
    hookSpecificOutput: { decision: { behavior: 'deny' } },
  });
});
