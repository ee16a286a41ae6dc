import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reason } from '@agent-relay/protocol';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { connect, noteListedTools, type Relay } from '../../../packages/sdk/src/node/index.ts';
import { PROGRAM } from '../../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { eventually } from '../../kit/eventually.ts';
import { startSocketProxy } from '../../kit/socket-proxy.ts';
import { callTool, connectStdio } from '../../mcp/kit/clients.ts';

/** And some more. */
const REMEMBERED_MS = 90_000;
/** Many processes start, one after the other. */
const START_MS = 30_000;
const TEST_MS = 150_000;
/** A hook that runs longer is killed. The CLI waits for two seconds at most; the rest is for a busy machine. */
const HOOK_DEADLINE_MS = 15_000;

let daemon: TestDaemon;
let sender: Relay;
let sessions = 0;

vi.setConfig({ testTimeout: TEST_MS });
beforeAll(async () => {
  daemon = await startDaemon();
  // This process stands for the CLIs.
  await noteListedTools(process.pid, daemon.env);
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
    { prompt = '', env = {}, input }: { prompt?: string; env?: NodeJS.ProcessEnv; input?: string } = {},
  ) => {
    const running = daemon.startCli(['hook', cli], {
      env: { ...daemon.env, RELAY_AGENT_NAME: name, CLAUDE_CODE_ENTRYPOINT: 'cli', ...env },
      timeoutMs: HOOK_DEADLINE_MS,
    });
    const told = { hook_event_name: event, session_id: name, transcript_path: transcript, prompt };
    running.child.stdin?.end(input ?? JSON.stringify(told));
    return running;
  };
  return {
    name,
    /** As the agent itself, in its shell. */
    choose: (when: string) => daemon.cli(['attention', when], { env: { RELAY_AGENT_NAME: name } }),
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

it('is the agent named by the variable, otherwise by its client, like the MCP server', async () => {
  const codex = await session('codex');
  const served = async (env: NodeJS.ProcessEnv) => {
    await using client = await connectStdio(daemon, { env: { RELAY_HOOKS: 'codex', ...env } });
    return (await callTool(client, 'relay_status')).data.agentName;
  };
  expect(await served({})).toBe('codex');
  expect(await served({ RELAY_AGENT_NAME: codex.name })).toBe(codex.name);
  await sender.send('codex', 'For the client');
  await sender.send(codex.name, 'For the role');
  const { stdout: unnamed } = await codex.run('UserPromptSubmit', { env: { RELAY_AGENT_NAME: '' } });
  expect(unnamed).toContain('For the client');
  expect((await codex.run('UserPromptSubmit')).stdout).toContain('For the role');
});

it('wakes an idle agent with its next message, and sees it in the next prompt', async () => {
  const claude = await session('claude');
  const uncertain: unknown[] = [];
  sender.on('delivery.uncertain', ({ agent, ...event }) => agent === claude.name && uncertain.push(event));
  await sender.watch();
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
  const told = { type: 'delivery.uncertain', messageId, path: 'hook', reason: reason('path_gone') };
  await eventually(() => uncertain.length > 0);
  // The next one waits again, and does not hand over what was handed over.
  await using next = claude.start('UserPromptSubmit', { prompt: `A message for you: ${stderr}` });
  await eventually(async () => (await claude.stateOf(messageId)) === 'injected');
  await claude.waits();
  expect(uncertain).toEqual([told]);
  const second = await sender.send(claude.name, 'And the tests?');
  expect((await next.result).stderr).toContain(`[${second.messageId}]`);
});

it('does not wake an agent before it has the tools to answer', async () => {
  const claude = await session('claude');
  await rm(join(daemon.dataDirectory, 'hooks', `${process.pid}.tools`), { force: true });
  await using waiting = claude.start('SessionStart');
  await claude.waits();
  const { messageId } = await sender.send(claude.name, 'Is the build green?');
  const reasonOf = async () => (await sender.trace(messageId)).deliveries[0]?.reason?.code;
  await eventually(async () => (await reasonOf()) === 'starting', START_MS);
  await using client = await connectStdio(daemon, {
    env: { RELAY_HOOKS: 'claude', RELAY_AGENT_NAME: claude.name },
  });
  expect(await claude.stateOf(messageId)).toBe('stored');
  await client.listTools();
  expect((await waiting.result).stderr).toContain(`[${messageId}]`);
});

it('does not count a message as injected that Claude Code queues for later', async () => {
  const claude = await session('claude');
  await using waiting = claude.start('SessionStart');
  await claude.waits();
  const { messageId } = await sender.send(claude.name, 'Is the build green?');
  const { stderr: content } = await waiting.result;
  const kept = { type: 'queue-operation', operation: 'enqueue', content };
  await writeFile(claude.transcript, `${JSON.stringify(kept)}\n`);
  await using second = claude.start('Stop');
  // It waits once it has told what it saw.
  const isReady = async () => (await sender.who()).find(({ name }) => name === claude.name)?.paths[0]?.state;
  await eventually(async () => (await isReady()) === 'ready', START_MS);
  expect(await claude.stateOf(messageId)).toBe('uncertain');
  const taken = { type: 'attachment', attachment: { type: 'queued_command', prompt: content } };
  await appendFile(claude.transcript, `${JSON.stringify(taken)}\n`);
  await using _third = claude.start('Stop');
  await eventually(async () => (await claude.stateOf(messageId)) === 'injected');
  expect(await second.result).toMatchObject({ code: 0, stderr: '' });
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

it('delivers a message once if several hooks run at the same time', async () => {
  const codex = await session('codex');
  const sent = [];
  for (const text of ['one', 'two'])
    sent.push((await sender.send(codex.name, text, { importance: 'urgent' })).messageId);
  // As after tools that were called together.
  const answers = await Promise.all([1, 2, 3].map(() => codex.run('PostToolUse')));
  const output = answers.map(({ stdout }) => stdout).join('\n');
  for (const id of sent) expect(output.split(`[${id}]`)).toHaveLength(2);
  await writeFile(codex.transcript, output);
  await codex.run('Stop');
  for (const id of sent) expect(await codex.stateOf(id)).toBe('injected');
});

it.each([
  ['now', true],
  ['next-tool-call', true],
  ['end-of-turn', false],
] as const)(
  'gives a working agent that wants them %s its messages during a turn: %s',
  async (when, isGiven) => {
    const codex = await session('codex');
    await codex.choose(when);
    const { messageId } = await sender.send(codex.name, 'one', isGiven ? {} : { importance: 'urgent' });
    const given = isGiven ? expect.stringContaining(messageId) : '';
    expect((await codex.run('PostToolUse')).stdout).toEqual(given);
    expect((await codex.run('Stop')).stdout).toEqual(isGiven ? '' : expect.stringContaining(messageId));
  },
);

it('waits in the background for the end of the turn too', async () => {
  const claude = await session('claude');
  await claude.choose('end-of-turn');
  await using during = claude.start('UserPromptSubmit');
  await claude.waits();
  const { messageId } = await sender.send(claude.name, 'one', { importance: 'urgent' });
  await eventually(
    async () => (await sender.trace(messageId)).deliveries[0]?.reason?.code === 'attention',
    START_MS,
  );
  await using after = claude.start('Stop');
  expect((await after.result).stderr).toContain(messageId);
  expect(await during.result).toMatchObject({ code: 0, stderr: '' });
});

it('ends with OpenCode, and takes no more messages', async () => {
  const opencode = await session('opencode');
  await using beside = daemon.startCli(['hook', 'opencode'], {
    env: { ...daemon.env, RELAY_AGENT_NAME: opencode.name },
  });
  await opencode.waits();
  beside.child.stdin?.end();
  expect(await beside.result).toMatchObject({ code: 0 });
  await eventually(
    async () =>
      (await sender.who({ includeOffline: true })).some(
        ({ name, paths }) => name === opencode.name && paths.length === 0,
      ),
    START_MS,
  );
});

it('reports whether a hook has run, and that nothing wakes the agent', async () => {
  const codex = await session('codex');
  const hooks = { before: 'hook_not_trusted', between: 'between_turns' } as const;
  const options = { env: daemon.env, cwd: daemon.projectDirectory, name: codex.name, paths: [], hooks };
  const { messageId } = await sender.send(codex.name, 'one', { importance: 'low' });
  const reasonOf = async (id: string) => (await sender.trace(id)).deliveries[0]?.reason?.code;
  {
    await using _server = await connect(options);
    expect(await reasonOf(messageId)).toBe('hook_not_trusted');
    expect((await daemon.cli(['who'])).stdout).toMatch(
      new RegExp(`${codex.name} .* hook .*waits: its hooks have not run yet: its CLI may not trust them`),
    );
    await codex.run('UserPromptSubmit');
    const next = await sender.send(codex.name, 'two');
    expect(await reasonOf(next.messageId)).toBe('between_turns');
  }
  // A new session has run none.
  await using _server = await connect(options);
  const last = await sender.send(codex.name, 'three');
  expect(await reasonOf(last.messageId)).toBe('hook_not_trusted');
});

it('does not keep a print run waiting', async () => {
  const claude = await session('claude');
  const printed = { env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } };
  expect(await claude.run('SessionStart', printed)).toMatchObject({ code: 0, stderr: '' });
});

it('does nothing in a run of the relay, at other events, and without a daemon', async () => {
  const agent = await session('codex');
  await sender.send(agent.name, 'one');
  expect(await agent.run('Stop', { env: { RELAY_RUN: '1' } })).toMatchObject(silent);
  expect(await agent.run('SessionEnd')).toMatchObject(silent);
  expect(await agent.run('Stop', { env: { RELAY_DATA_DIR: join(daemon.directory, 'none') } })).toMatchObject(
    silent,
  );
  expect((await agent.run('Stop')).stdout).toContain('| one');
});

const silent = { code: 0, stdout: '', stderr: '' };
const hangs = async () =>
  (await readdir(join(daemon.dataDirectory, 'hooks'))).filter((file) => file.endsWith('.hang'));

it.each([
  ['codex', 'UserPromptSubmit'],
  ['codex', 'PostToolUse'],
  ['codex', 'Stop'],
  ['gemini', 'BeforeAgent'],
  ['gemini', 'AfterTool'],
  ['gemini', 'AfterAgent'],
])('%s does not wait at %s for a daemon that is stopped, and loses no message', async (cli, event) => {
  const agent = await session(cli);
  const { messageId } = await sender.send(agent.name, 'one', { importance: 'urgent' });
  process.kill(daemon.pid, 'SIGSTOP');
  try {
    expect(await agent.run(event)).toMatchObject(silent);
    expect(await hangs()).toHaveLength(1);
    expect(await agent.run(event)).toMatchObject(silent);
  } finally {
    process.kill(daemon.pid, 'SIGCONT');
  }
  expect(await agent.stateOf(messageId)).toBe('stored');
  // On a busy machine at last after the minute for which the hang is remembered.
  await eventually(async () => (await agent.run(event)).stdout.includes(`[${messageId}]`), REMEMBERED_MS);
  expect(await hangs()).toEqual([]);
  expect((await agent.run(event)).stdout).toBe('');
});

it('hands over with the next hook what was claimed too late for one', async () => {
  const codex = await session('codex');
  const { messageId } = await sender.send(codex.name, 'one');
  await using proxy = await startSocketProxy(daemon.socketPath);
  const slow = { env: { RELAY_SOCKET: proxy.path, RELAY_PROJECT: daemon.project } };
  // The daemon grants the claim, and its answer is on its way for too long.
  proxy.holdAnswersTo('CLAIM');
  expect(await codex.run('UserPromptSubmit', slow)).toMatchObject(silent);
  await eventually(async () => (await codex.stateOf(messageId)) === 'uncertain');
  proxy.holdAnswersTo(undefined);
  // Not to another session of the agent.
  const other = { hook_event_name: 'Stop', session_id: 'another' };
  expect((await codex.run('Stop', { input: JSON.stringify(other) })).stdout).toBe('');
  const given = (await codex.run('Stop')).stdout;
  expect(given).toContain(`[${messageId}]`);
  expect((await codex.run('Stop', { prompt: given })).stdout).toBe('');
  expect(await codex.stateOf(messageId)).toBe('injected');
});

it.each([
  ['nothing', ''],
  ['no JSON', 'Stop'],
  ['half of it', '{"hook_event_name":"Stop",'],
  ['another shape', '["Stop"]'],
  ['no session', '{"hook_event_name":"Stop","session_id":7}'],
])('says in one line that it was given %s, and does nothing', async (_what, input) => {
  const codex = await session('codex');
  const { code, stdout, stderr } = await codex.run('', { input });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(/^agent-relay: The input of the hook .*\n$/);
});

it('does nothing with events that only look like known ones, and with what is no transcript', async () => {
  const codex = await session('codex');
  for (const event of ['constructor', '__proto__', 'toString'])
    expect(await codex.run(event)).toMatchObject(silent);
  await sender.send(codex.name, 'one');
  expect((await codex.run('Stop')).stdout).toContain('| one');
  const told = { hook_event_name: 'Stop', session_id: codex.name, prompt: { a: 1 } };
  for (const transcript_path of ['/', '/dev/zero', 7, {}])
    expect(await codex.run('', { input: JSON.stringify({ ...told, transcript_path }) })).toMatchObject(
      silent,
    );
});

it('does not wait for a CLI that has ended meanwhile', async () => {
  const claude = await session('claude');
  const ended = { env: { RELAY_HOOK_PARENT: '1' } };
  expect(await claude.run('SessionStart', ended)).toMatchObject({ code: 0, stderr: '' });
});

it('ends with its CLI, without losing a message', async () => {
  const claude = await session('claude');
  // Processes that were killed, as by the tests before, leave theirs.
  const locks = async () =>
    (await readdir(join(daemon.dataDirectory, 'hooks'))).filter((file) => file.endsWith('.lock'));
  const before = await locks();
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
  await eventually(async () => (await locks()).length > before.length, START_MS);
  const ended = once(shell, 'exit');
  shell.kill('SIGKILL');
  await ended;
  // The process may not have noticed yet.
  const { messageId } = await sender.send(claude.name, 'one');
  await eventually(
    async () => (await sender.who()).find((agent) => agent.name === claude.name) === undefined,
    15_000,
  );
  expect(await claude.stateOf(messageId)).toBe('stored');
  expect(await locks()).toEqual(before);
});
