import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Relay } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { openPrompt } from '../../../packages/harness-driver/src/clis/prompt-text.ts';
import { PromptLink } from '../../../packages/harness-driver/src/host/prompt-link.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
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
    answers.push(command.answer);
    void relay.request('PROMPT_REPORT', { run, answered: { request: command.request, isSent: true } });
  });
  return {
    relay,
    answers,
    asks: (digest: string, what: string) =>
      relay.request('PROMPT_REPORT', { run, prompt: { digest, text: what } }),
    [Symbol.asyncDispose]: () => relay.close(),
  };
}

describe('agent-relay prompts', () => {
  it('lists open prompts, and allows or denies exactly the one that was shown', async () => {
    await using daemon = await startDaemon();
    const cli = (...args: string[]) => daemon.cli(['prompts', ...args]);
    await using host = await startHost(daemon, 'Fred');
    expect(output(await cli('list'))).toMatch(/^No permission prompts to answer from here\./);
    const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];
    await host.asks(first, 'Run a command\nrm -r build\u001b[2J');
    const listed = output(await cli('list'));
    expect(listed).toMatch(/^Fred {2}.*aaaaaaaaaaaa\n {2}Run a command\n {2}rm -r build\ufffd\[2J\n$/);
    expect(json(await cli('list', '--json'))).toMatchObject([{ agent: 'Fred', digest: first }]);
    // Too short, of another prompt, of somebody else.
    for (const [agent, id] of [
      ['Fred', 'aaa'],
      ['Fred', second],
      ['Gina', first],
    ] as const)
      expectFailure(await cli('allow', agent, id), 2, /has no open prompt/, /prompts list/);
    expect(host.answers).toEqual([]);
    expect(output(await cli('allow', 'Fred', first.slice(0, 12)))).toBe('Allowed Fred.\n');
    expectFailure(await cli('deny', 'Fred', first), 2, /has no open prompt/);
    await host.asks(second, 'Run a command\nls');
    expect(json(await cli('deny', 'Fred', second, '--json'))).toEqual({ agent: 'Fred', answer: 'deny' });
    expect(host.answers).toEqual(['allow', 'deny']);
    const entries = json(await daemon.cli(['audit', '--json'])) as Array<{ action: string; detail: unknown }>;
    const answered = entries.filter(({ action }) => action === 'prompt.answer');
    expect(answered).toHaveLength(2);
    for (const detail of [
      { digest: first, answer: 'allow' },
      { digest: second, answer: 'deny' },
    ])
      expect(answered).toContainEqual(expect.objectContaining({ subject: 'Fred', detail }));
  });
});

describe('a long prompt', () => {
  it('is shown in full, or only in the terminal', async () => {
    await using daemon = await startDaemon();
    await using relay = await client(daemon, { name: 'Fred', cli: 'codex', paths: ['native'] });
    await using person = await client(daemon, { name: 'petra', type: 'human' });
    const process = { pid: 1, mark: 'none' };
    const run = { run: 'run_1', cli: 'codex', cwd: '/', host: process, program: process, startedAt: 1 };
    await relay.request('HOST', run);
    let size = 20_000;
    const link = new PromptLink(relay, 'run_1', {
      prompt: () => openPrompt(size, 'Run a command', `${'x'.repeat(size)} && rm -r build`),
      answer: async () => true,
    });
    link.look();
    await expect
      .poll(async () => (await person.prompts.list()).map(({ text }) => text.slice(-14)))
      .toEqual(['&& rm -r build']);
    size = 100_000;
    link.look();
    await expect.poll(() => person.prompts.list()).toEqual([]);
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
