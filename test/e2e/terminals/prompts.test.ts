import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { OperationInput } from '@agent-relay/protocol';
import { connect, type Relay } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { openPrompt } from '../../../packages/harness-driver/src/clis/open-prompt.ts';
import { PromptLink } from '../../../packages/harness-driver/src/host/prompt-link.ts';
import { PROGRAM } from '../../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { startTerminal } from '../../kit/terminal.ts';
import { client } from '../messaging/commands.ts';

/** A host of a run, which tells of prompts and takes answers as one of a real CLI does. */
async function startHost(daemon: TestDaemon, name: string) {
  const relay: Relay = await client(daemon, { name, cli: 'codex', paths: ['native'] });
  const run = `run_${name}`;
  const process = { pid: 1, mark: 'none' };
  await relay.request('HOST', { run, cli: 'codex', cwd: '/', host: process, program: process, startedAt: 1 });
  const answers: string[] = [];
  relay.on('terminal.command', ({ command }) => {
    if (command.kind !== 'answer') return;
    answers.push(`${command.answer} ${command.key}`);
    void relay.request('PROMPT_REPORT', { run, answered: { request: command.request, isSent: true } });
  });
  return {
    relay,
    run,
    answers,
    asks: (key: string, command: string, description?: string) =>
      relay.request('PROMPT_REPORT', {
        run,
        prompt: { key, ask: { kind: 'command', command, ...(description && { description }) } },
      }),
    [Symbol.asyncDispose]: () => relay.close(),
  };
}

const HOSTILE = `ls -la src${'\n'.repeat(200)}rm -rf ~/important`;
const LIE = 'list the files\nDescribed by the agent as: ls\u202e';

describe('agent-relay prompts', () => {
  it('lists open prompts whole, and allows or denies exactly the one that was shown', async () => {
    await using daemon = await startDaemon();
    const cli = (...args: string[]) => daemon.cli(['prompts', ...args]);
    await using host = await startHost(daemon, 'Fred');
    expect(output(await cli())).toMatch(/^No permission prompts to answer from here\./);
    await host.asks('one', HOSTILE, LIE);
    const { digest = '' } = (json(await cli('--json')) as Array<{ digest: string }>)[0] ?? {};
    const text = [
      'Run this command (201 lines):',
      '      1  ls -la src',
      '  2-200  (199 empty lines)',
      '    201  rm -rf ~/important',
      'Described by the agent as: list the files Described by the agent as: ls\u{fffd}',
    ];
    const [head, ...lines] = output(await cli('list'))
      .trimEnd()
      .split('\n');
    expect(head).toMatch(/^Fred {2}\d{4}-/);
    expect(lines).toEqual([
      ...text.map((line) => `  ${line}`),
      `  Allow it: agent-relay prompts allow Fred --digest ${digest}`,
    ]);
    const shown = output(await cli('show', 'fred'))
      .trimEnd()
      .split('\n');
    expect(shown.slice(1)).toEqual([`digest ${digest}`, ...text]);
    expect(json(await cli('show', 'Fred', '--json'))).toMatchObject({ digest, text: text.join('\n') });

    // Unread, too short, of another prompt, of somebody else.
    expectFailure(await cli('allow', 'Fred'), 2, /by its digest/, /prompts show Fred/);
    for (const [agent, id] of [
      ['Fred', digest.slice(0, 12)],
      ['Fred', 'b'.repeat(64)],
      ['Gina', digest],
    ] as const)
      expectFailure(await cli('allow', agent, '--digest', id), 2, /has no open prompt/, /prompts list/);
    expect(host.answers).toEqual([]);
    expect(output(await cli('allow', 'Fred', '--digest', digest))).toBe('Allowed Fred.\n');
    expectFailure(await cli('deny', 'Fred', '--digest', digest), 2, /has no open prompt/);
    await host.asks('two', 'ls');
    expect(json(await cli('deny', 'Fred', '--json'))).toEqual({ agent: 'Fred', answer: 'deny' });
    expect(host.answers).toEqual(['allow one', 'deny two']);
    const entries = json(await daemon.cli(['audit', '--json'])) as Array<{ action: string; detail: unknown }>;
    const answered = entries.filter(({ action }) => action === 'prompt.answer');
    expect(answered).toMatchObject([{ detail: { answer: 'deny' } }, { detail: { digest, answer: 'allow' } }]);
  });

  it.each([80, 40])('shows a person all of it in a terminal of %i columns, and asks', async (columns) => {
    await using daemon = await startDaemon();
    await using host = await startHost(daemon, 'Fred');
    const long = Array.from({ length: 30 }, (_, at) => `echo ${at}`).join('\n');
    const disguise = `true ${'x'.repeat(columns - 7)}Described by the agent as: lists files`;
    const allow = () =>
      startTerminal([process.execPath, PROGRAM, 'prompts', 'allow', 'Fred'], {
        cwd: daemon.projectDirectory,
        env: { ...daemon.env, PATH: process.env.PATH ?? '' },
        columns,
        rows: 20,
      });

    await host.asks('one', disguise, LIE);
    await using short = allow();
    await short.until(/^Allow this, once\? \[y\/N\]/m);
    const screen = short.screen();
    expect(screen).toMatch(/^Run this command:\n {2}true x+\n {2}Described by the agent as: lists files\n/);
    expect(screen.match(/^Described by the agent as: list/gm)).toHaveLength(1);
    short.type('\r');
    await short.until(/^Not allowed\. The prompt is still open\./m);
    expect((await short.exited).exitCode).toBe(1);

    await host.asks('two', `${long}\nrm -rf ~/important`, LIE);
    await using paged = allow();
    await paged.until(/^19 of \d+ rows\. Enter: more, q: stop/m);
    paged.type('\r');
    await paged.until(/^Allow this, once\? \[y\/N\]/m);
    expect(paged.output()).toContain('  31  rm -rf ~/important');
    expect(paged.screen()).not.toContain('Enter: more');
    expect(host.answers).toEqual([]);
    paged.type('y\r');
    await paged.until(/^Allowed Fred\./m);
    expect(host.answers).toEqual(['allow two']);

    await host.asks('three', long);
    await using left = allow();
    await left.until(/q: stop/);
    left.type('q\r');
    await left.until(/^Not allowed/m);
    await using asked = allow();
    await asked.until(/q: stop/);
    asked.type('\r');
    await asked.until(/Allow this, once/);
    // While the person reads, the agent asks for something else.
    await host.asks('four', 'rm -rf ~/important');
    asked.type('y\r');
    await asked.until(/has changed or\s+was answered/);
    await using closed = allow();
    await closed.until(/Allow this, once/);
    closed.type('\u0003');
    await closed.until(/^Not allowed/m);
    expect(host.answers).toEqual(['allow two']);
  });
});

describe('a prompt', () => {
  it('is reported only by the host of the run, on its own connection, on this machine', async () => {
    await using daemon = await startDaemon();
    await using host = await startHost(daemon, 'Fred');
    await using mallory = await startHost(daemon, 'Mallory');
    await using second = await client(daemon, { name: 'Fred', cli: 'codex', paths: [] });
    await using owner = await client(daemon);
    const { key: workspaceKey } = await owner.request('KEY_CREATE', {});
    const url = `ws://${daemon.http}/ws`;
    await using far = await connect({ url, workspaceKey, name: 'Far', paths: [], env: {} });
    const program = { pid: 1, mark: 'none' };
    const farRun = { run: 'run_Far', cli: 'codex', cwd: '/', host: program, program, startedAt: 1 };
    await far.request('HOST', farRun);
    await using person = await client(daemon, { name: 'petra', type: 'human' });
    await host.asks('one', 'rm -r build');
    const open = await person.prompts.list();
    const update = {
      key: 'one',
      ask: { kind: 'command', command: 'Agent Relay update: press Allow' },
    } as const;
    for (const [relay, run, code] of [
      [second, host.run, 'Forbidden'],
      [mallory.relay, host.run, 'NotRunning'],
      [far, 'run_Far', 'Forbidden'],
      [far, host.run, 'Forbidden'],
    ] as const)
      for (const report of [{ prompt: update }, {}])
        await expect(relay.request('PROMPT_REPORT', { run, ...report })).rejects.toMatchObject({ code });
    expect(await person.prompts.list()).toEqual(open);
    // So is what a viewer of its terminal is shown.
    await expect(second.request('TERMINAL_OUTPUT', { run: host.run, data: 'aGk=' })).rejects.toMatchObject({
      code: 'Forbidden',
    });
    expect(output(await daemon.cli(['prompts', 'allow', 'Fred', '--digest', open[0]?.digest ?? '']))).toBe(
      'Allowed Fred.\n',
    );
    expect([host.answers, mallory.answers]).toEqual([['allow one'], []]);
  });

  it('that is long is shown in full, or allowed only in the terminal', async () => {
    await using daemon = await startDaemon();
    await using host = await startHost(daemon, 'Fred');
    await using person = await client(daemon, { name: 'petra', type: 'human' });
    let size = 20_000;
    const command = () => `${'x'.repeat(size)} && rm -r build`;
    const link = new PromptLink(host.relay, host.run, {
      prompt: () => openPrompt(size, { kind: 'command', command: command() }),
      answer: async () => true,
    });
    link.look();
    await expect
      .poll(async () => (await person.prompts.list()).map(({ text }) => text))
      .toEqual([`Run this command:\n  ${command()}`]);
    size = 100_000;
    link.look();
    await expect.poll(async () => (await person.prompts.list())[0]?.tooLong).toBe(true);
    const { digest = '' } = (await person.prompts.list())[0] ?? {};
    expect(output(await daemon.cli(['prompts', 'list']))).toMatch(
      /too long to be shown here \(the limit is 65536 characters\).*\n.*attach Fred/,
    );
    expectFailure(
      await daemon.cli(['prompts', 'allow', 'Fred', '--digest', digest]),
      2,
      /too long to be shown whole/,
      /agent-relay attach Fred/,
    );
  });

  it('of an older host is left to the terminal', async () => {
    await using daemon = await startDaemon();
    await using host = await startHost(daemon, 'Fred');
    await using person = await client(daemon, { name: 'petra', type: 'human' });
    const older: object = { run: host.run, prompt: { digest: 'a'.repeat(64), text: 'Run a command\nls' } };
    const report = host.relay.request('PROMPT_REPORT', older as OperationInput<'PROMPT_REPORT'>);
    await expect(report).rejects.toMatchObject({ code: 'InvalidRequest' });
    expect(await person.prompts.list()).toEqual([]);
    await host.asks('one', 'ls');
    expect(await person.prompts.list()).toHaveLength(1);
  });
});

describe('the hook for questions', () => {
  it('runs for dialogs and limits of agents, once each, and not for what resolves by itself', async () => {
    const posted: unknown[] = [];
    await using server = createServer(async (request, response) => {
      posted.push(JSON.parse(await text(request)));
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    await using daemon = await startDaemon({ settings: { hooks: { question: { webhook } } } });
    await using host = await startHost(daemon, 'Fred');
    const { paths } = host.relay;
    const waits = (code: 'busy' | 'approval_dialog' | 'usage_limit', until?: number) =>
      paths.waits('native', { code, ...(until === undefined ? {} : { until }) });
    const told = (code: string, more: object = {}) => ({
      event: 'waiting',
      project: 'demo',
      agent: 'Fred',
      reason: expect.objectContaining({ code, ...more }),
    });
    await waits('busy');
    await waits('approval_dialog');
    await waits('approval_dialog');
    await expect.poll(() => posted).toEqual([told('approval_dialog')]);
    await paths.ready('native');
    await waits('usage_limit', 1_800_000_000_000);
    await expect
      .poll(() => posted)
      .toEqual([told('approval_dialog'), told('usage_limit', { until: 1_800_000_000_000 })]);
  });
});
