import { spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { connect, type Relay } from '../../packages/sdk/src/node/index.ts';
import { PROGRAM } from '../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { eventually } from '../kit/eventually.ts';

/** Many processes start, one after the other. */
const START_MS = 30_000;
const TEST_MS = 150_000;

let daemon: TestDaemon;
let sender: Relay;
let sessions = 0;

vi.setConfig({ testTimeout: TEST_MS });
beforeAll(async () => {
  daemon = await startDaemon();
  sender = await connect({ name: 'Sender', env: daemon.env, cwd: daemon.projectDirectory });
});
afterAll(async () => {
  await sender.close();
  await daemon[Symbol.asyncDispose]();
});

/** An agent that is known by name, as the MCP server of its CLI makes it, and a session of that CLI. */
async function session(cli: string) {
  const name = `${cli}-${++sessions}`;
  const mcp = await connect({ name, paths: [], env: daemon.env, cwd: daemon.projectDirectory });
  await mcp.close();
  const transcript = join(daemon.directory, `${name}.jsonl`);
  const start = (
    event: string,
    { prompt = '', env = {} }: { prompt?: string; env?: NodeJS.ProcessEnv } = {},
  ) => {
    const running = daemon.startCli(['hook', cli], {
      env: { ...daemon.env, RELAY_AGENT_NAME: name, CLAUDE_CODE_ENTRYPOINT: 'cli', ...env },
    });
    const input = { hook_event_name: event, session_id: name, transcript_path: transcript, prompt };
    running.child.stdin?.end(JSON.stringify(input));
    return running;
  };
  return {
    name,
    transcript,
    start,
    run: async (...given: Parameters<typeof start>) => {
      await using running = start(...given);
      return await running.result;
    },
    stateOf: async (id: string) => (await sender.trace(id)).deliveries[0]?.state,
    /** Resolves when a process of it waits. */
    waits: () =>
      eventually(
        async () => (await sender.who()).find((agent) => agent.name === name)?.paths.length,
        START_MS,
      ),
  };
}

it('wakes an idle agent with its next message, and sees it in the prompt that begins', async () => {
  const claude = await session('claude');
  await using first = claude.start('SessionStart');
  await claude.waits();
  // The CLI listens to the newest only.
  await using waiting = claude.start('Stop');
  expect(await first.result).toMatchObject({ code: 0, stderr: '', stdout: '' });
  await claude.waits();
  const { messageId } = await sender.send(claude.name, 'Is the build green?');
  const { code, stderr } = await waiting.result;
  expect(code).toBe(2);
  expect(stderr).toBe(`Relay message from Sender [${messageId}]: from a peer agent\n| Is the build green?`);
  await eventually(async () => (await claude.stateOf(messageId)) === 'uncertain');
  // The next one waits again, and does not hand over what was handed over.
  await using next = claude.start('UserPromptSubmit', { prompt: `A message for you: ${stderr}` });
  await eventually(async () => (await claude.stateOf(messageId)) === 'injected');
  await claude.waits();
  const second = await sender.send(claude.name, 'And the tests?');
  expect((await next.result).stderr).toContain(`[${second.messageId}]`);
});

it.each([
  ['codex', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'block'],
  ['gemini', 'BeforeAgent', 'AfterTool', 'AfterAgent', 'deny'],
] as const)(
  'gives %s its messages with a prompt, with a tool result, and at the end of a turn',
  async (cli, onPrompt, onTool, atEnd, decision) => {
    const agent = await session(cli);
    const first = await sender.send(agent.name, 'one');
    expect((await sender.trace(first.messageId)).deliveries[0]?.reason?.code).toBe('offline');
    const { hookSpecificOutput } = JSON.parse((await agent.run(onPrompt)).stdout);
    expect(hookSpecificOutput.hookEventName).toBe(onPrompt);
    expect(hookSpecificOutput.additionalContext).toContain(`[${first.messageId}]`);
    // Nothing says yet that the model has it.
    expect(await agent.stateOf(first.messageId)).toBe('uncertain');
    await writeFile(agent.transcript, hookSpecificOutput.additionalContext);
    const second = await sender.send(agent.name, 'two');
    expect((await agent.run(onTool)).stdout).toBe('');
    expect(await agent.stateOf(first.messageId)).toBe('injected');
    const urgent = await sender.send(agent.name, 'three', { importance: 'urgent' });
    const both = JSON.parse((await agent.run(onTool)).stdout).hookSpecificOutput.additionalContext;
    expect(both.indexOf(second.messageId)).toBeLessThan(both.indexOf(urgent.messageId));
    const last = await sender.send(agent.name, 'four');
    const end = JSON.parse((await agent.run(atEnd)).stdout);
    expect(end).toEqual({ decision, reason: expect.stringContaining(`[${last.messageId}]`) });
    expect((await agent.run(atEnd)).stdout).toBe('');
  },
);

it('does not keep a print run waiting', async () => {
  const claude = await session('claude');
  const printed = { env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } };
  expect(await claude.run('SessionStart', printed)).toMatchObject({ code: 0, stderr: '' });
});

it('is silent in a run of the relay, at other events, and without a daemon', async () => {
  const agent = await session('codex');
  await sender.send(agent.name, 'one');
  const silent = { code: 0, stdout: '', stderr: '' };
  expect(await agent.run('Stop', { env: { RELAY_RUN: '1' } })).toMatchObject(silent);
  expect(await agent.run('SessionEnd')).toMatchObject(silent);
  expect(await agent.run('Stop', { env: { RELAY_DATA_DIR: join(daemon.directory, 'none') } })).toMatchObject(
    silent,
  );
  expect((await agent.run('Stop')).stdout).toContain('| one');
});

it('does not wait for a CLI that has ended meanwhile', async () => {
  const claude = await session('claude');
  const ended = { env: { RELAY_HOOK_PARENT: '1' } };
  expect(await claude.run('SessionStart', ended)).toMatchObject({ code: 0, stderr: '' });
});

it('ends with its CLI, and takes no message with it', async () => {
  const claude = await session('claude');
  const input = JSON.stringify({ hook_event_name: 'Stop', session_id: claude.name });
  // The shell stands for the CLI.
  const shell = spawn(
    'sh',
    ['-c', `echo '${input}' | '${process.execPath}' '${PROGRAM}' hook claude & wait`],
    {
      env: { ...daemon.env, RELAY_AGENT_NAME: claude.name, CLAUDE_CODE_ENTRYPOINT: 'cli' },
      cwd: daemon.projectDirectory,
      stdio: 'ignore',
    },
  );
  await claude.waits();
  shell.kill('SIGKILL');
  await eventually(
    async () => (await sender.who()).find((agent) => agent.name === claude.name) === undefined,
    15_000,
  );
  const { messageId } = await sender.send(claude.name, 'one');
  expect(await claude.stateOf(messageId)).toBe('stored');
  expect(
    (await readdir(join(daemon.dataDirectory, 'hooks'))).filter((file) => file.endsWith('.lock')),
  ).toEqual([]);
});
