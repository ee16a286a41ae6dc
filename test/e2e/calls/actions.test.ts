import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { PROGRAM } from '../../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { startSocketProxy } from '../../kit/socket-proxy.ts';
import { startTerminal } from '../../kit/terminal.ts';
import { client } from '../messaging/commands.ts';
import { startProgram } from './kit.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const EXAMPLE = fileURLToPath(new URL('../../../examples/review-vote/run.ts', import.meta.url));

describe('actions', () => {
  it('are listed with their invocations and results by the command line', async () => {
    await using bob = await client(daemon, { name: 'Bob' });
    await using alice = await client(daemon, { name: 'Alice' });
    await bob.registerAction({
      name: 'math.halve',
      description: 'Halves a number',
      input: z.object({ number: z.number() }),
      availableTo: ['Alice'],
      handler: ({ input, progress }) => {
        progress(1, 1);
        return input.number / 2;
      },
    });
    const seen: unknown[] = [];
    const done = await alice.invoke(
      'math.halve',
      { number: 4 },
      { wait: true, onProgress: (p) => seen.push(p) },
    );
    expect(done).toMatchObject({ status: 'completed', result: 2, owner: 'Bob' });
    expect(seen).toEqual([{ progress: 1, total: 1 }]);
    expect(output(await daemon.cli(['actions']))).toMatch(/math\.halve +Bob +Alice +Halves a number/);
    expect(json(await daemon.cli(['actions', '--as', 'Carol', '--json']))).toEqual([]);
    expect(output(await daemon.cli(['actions', '--invocations']))).toMatch(/math\.halve +completed +Alice/);
    const shown = await daemon.cli(['actions', done.invocationId, '--json']);
    expect(json(shown)).toMatchObject({ input: { number: 4 }, result: 2 });
    expect(output(await daemon.cli(['actions', done.invocationId]))).toMatch(/result +2/);
    expect(output(await daemon.cli(['audit']))).toMatch(/action\.completed.*math\.halve/);
    const text = await daemon.cli(['actions', 'nothing']);
    expect(text).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('There is no invocation nothing'),
    });
  });

  it('are shown with their invocations in lines that fit a narrow terminal', async () => {
    await using bob = await client(daemon, {
      name: 'Bob',
      capabilities: [{ category: 'math', description: 'Halves numbers of any size, and doubles them' }],
    });
    await bob.registerAction({
      name: 'math.split',
      description: 'Halves a number without asking anybody else about it',
      input: {},
      availableTo: ['Alice', '#halves', 'human'],
      handler: ({ input }) => input,
    });
    const done = await bob.invoke('math.split', { words: 'one two three four five six' }, { wait: true });
    for (const args of [
      ['capabilities'],
      ['actions'],
      ['actions', '--invocations'],
      ['actions', done.invocationId],
      ['audit', '--limit', '2'],
    ]) {
      await using terminal = startTerminal([process.execPath, PROGRAM, ...args], {
        cwd: daemon.projectDirectory,
        env: { ...daemon.env, PATH: process.env.PATH ?? '' },
        columns: 40,
      });
      expect(await terminal.exited).toMatchObject({ exitCode: 0 });
      const lines = stripVTControlCharacters(terminal.output()).split(/\r?\n/);
      expect(lines.join('\n')).toMatch(/math/);
      expect(lines.filter((line) => line.length > 40)).toEqual([]);
    }
  });

  it('are called by name from a shell and a program, and recorded', async () => {
    await using bob = await client(daemon, { name: 'Bob' });
    await using alice = await client(daemon, { name: 'Alice' });
    const handler = ({ input }: { input: Record<string, unknown> }) => {
      if (input.fail) throw new Error('No luck.');
      return { got: input };
    };
    await bob.registerAction({ name: 'open.act', description: 'Acts', input: {}, handler });
    await bob.registerAction({ name: 'deploy', description: 'Deploys', input: {}, handler });
    expect(await alice.call('deploy', { a: 1 })).toEqual({ got: { a: 1 } });
    expect(await alice.call('open.act', { a: 2 })).toEqual({ got: { a: 2 } });
    await expect(alice.call('deploy', { fail: true })).rejects.toMatchObject({
      code: 'ToolFailed',
      message: 'deploy failed: No luck.',
    });
    await expect(alice.call('deply')).rejects.toMatchObject({ code: 'ActionNotFound' });
    await expect(alice.call('open.atc')).rejects.toMatchObject({
      code: 'ActionNotFound',
      message: 'There is no action "open.atc" available to you. Did you mean open.act?',
    });
    await expect(alice.call('Nobody.fly')).rejects.toMatchObject({
      code: 'AgentNotFound',
      message: expect.stringMatching(
        /^There is no action "Nobody\.fly" available to you\. No agent "Nobody" is known/,
      ),
    });
    expect(json(await daemon.cli(['call', 'open.act', '{"a":3}', '--as', 'Ann']))).toEqual({ got: { a: 3 } });
    expect(output(await daemon.cli(['actions', '--invocations']))).toMatch(/open\.act +completed +Ann/);
  });

  it('continue when a shell stops waiting, which says where the result will be', async () => {
    await using bob = await client(daemon, { name: 'Bob' });
    const finish = Promise.withResolvers<string>();
    const handler = () => finish.promise;
    await bob.registerAction({ name: 'take.long', description: 'Takes long', input: {}, handler });
    const given = await daemon.cli(['call', 'take.long', '--timeout', '500']);
    expectFailure(given, 6, /take\.long did not end within 500 ms\. It is still running\./);
    const [, command = ''] = /next: Read its result later with: agent-relay (.*)/.exec(given.stderr) ?? [];
    finish.resolve('done');
    await expect
      .poll(async () => json(await daemon.cli([...command.split(' '), '--json'])), { timeout: 10_000 })
      .toMatchObject({ actionName: 'take.long', status: 'completed', result: 'done' });
  });

  it('that need consent wait for a person, who reads how to reply', async () => {
    await using bob = await client(daemon, { name: 'Bob' });
    await bob.registerAction({
      name: 'ship.it',
      description: 'Ships',
      input: {},
      consent: true,
      handler: () => 'out',
    });
    expect(output(await daemon.cli(['actions']))).toContain('Ships (a person has to allow it)');
    // Somebody has to be there who can be asked.
    await daemon.cli(['inbox']);
    await using running = daemon.startCli(['call', 'ship.it', '--as', 'Alice']);
    await running.until(/Waiting for consent from/);
    const inbox = output(await daemon.cli(['inbox']));
    expect(inbox).toMatch(/^ {2}Alice wants to call ship\.it with:\n {4}\{\}$/m);
    const [, command = ''] = /(agent-relay send --reply-to ID yes)/.exec(inbox) ?? [];
    const [id = ''] = /msg_\w+/.exec(inbox) ?? [];
    const sent = output(await daemon.cli(command.replace('ID', id).split(' ').slice(1)));
    expect(sent).not.toContain('Offline');
    expect(await running.result).toMatchObject({ code: 0, stdout: '"out"\n' });
  });

  it('whose name was taken meanwhile are reported to their owner, and its others are back', async () => {
    await using proxy = await startSocketProxy(daemon.socketPath);
    await using bob = await client(daemon, { name: 'Bob', socketPath: proxy.path });
    await using carol = await client(daemon, { name: 'Carol' });
    const action = (name: string) => ({ name, description: name, input: {}, handler: () => name });
    const refusal = { code: 'NameTaken', message: expect.stringContaining('belongs to Carol') };
    await bob.exposeTool(action('look'));
    for (const name of ['build', 'ship']) await bob.registerAction(action(name));
    const told = Promise.withResolvers<unknown>();
    const stop = bob.on('tools.refused', told.resolve);
    await proxy.cut();
    await expect.poll(() => carol.actions()).toEqual([]);
    await carol.registerAction(action('ship'));
    const later = bob.registerAction(action('test'));
    await proxy.mend();
    expect(await told.promise).toMatchObject({ names: ['ship'], error: refusal });
    await later;
    const owners = (await carol.actions()).map(({ name, owner }) => `${name} of ${owner}`);
    expect(owners.sort()).toEqual(['build of Bob', 'ship of Carol', 'test of Bob']);
    expect(await carol.call('Bob.look')).toBe('look');
    // Registered at once with others, each gets its own answer.
    const [taken, free] = await Promise.allSettled([
      bob.registerAction(action('ship')),
      bob.registerAction(action('sign')),
    ]);
    expect(taken).toMatchObject({ status: 'rejected', reason: refusal });
    expect(free).toMatchObject({ status: 'fulfilled' });
    stop();
  });

  it('that are refused are named in a warning if nothing listens for that', async () => {
    await using proxy = await startSocketProxy(daemon.socketPath);
    await using bob = await client(daemon, { name: 'Bob', socketPath: proxy.path });
    await using carol = await client(daemon, { name: 'Carol' });
    const action = { name: 'ship', description: 'Ships', input: {}, handler: () => undefined };
    await bob.registerAction(action);
    await proxy.cut();
    await expect.poll(() => carol.actions()).toEqual([]);
    await carol.registerAction(action);
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await proxy.mend();
    await expect.poll(() => warned.mock.calls).toEqual([[expect.stringMatching(/offered: ship\. .*Carol/)]]);
    warned.mockRestore();
  });

  it('in progress are unknown after kill -9 of the daemon, and never performed again', async () => {
    await using own = await startDaemon();
    await using alice = await client(own, { name: 'Alice' });
    await using bob = await client(own, { name: 'Bob' });
    let runs = 0;
    const begun = Promise.withResolvers<void>();
    await bob.registerAction({
      name: 'deploy',
      description: 'Deploys',
      input: {},
      handler: ({ signal }) => {
        runs += 1;
        begun.resolve();
        return new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    // The client asks again under the same id, once the daemon is back.
    const waiting = alice.invoke('deploy', {}, { wait: true, timeoutMs: 25_000, id: 'deploy-7' });
    await begun.promise;
    await own.kill9();
    await own.start();
    expect(await waiting).toMatchObject({ invocationId: 'deploy-7', status: 'unknown' });
    await expect.poll(() => alice.actions(), { timeout: 20_000 }).toHaveLength(1);
    expect(await alice.invoke('deploy', {}, { id: 'deploy-7' })).toMatchObject({ status: 'unknown' });
    expect(runs).toBe(1);
  });

  it('of an owner that is killed are unknown at once', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    await using program = await startProgram(daemon, 'Victim');
    const ended = alice.invoke('Victim.hang', {}, { wait: true, onProgress: () => program.kill() });
    expect(await ended).toMatchObject({ status: 'unknown', error: { code: 'CalleeGone' } });
  });

  it('of ten agents, a thousand in total, appear at once', async () => {
    await using alice = await client(daemon, { name: 'Alice' });
    const owners = await Promise.all(
      Array.from({ length: 10 }, (_, n) => client(daemon, { name: `owner-${n}x` })),
    );
    await Promise.all(
      owners.flatMap((owner, o) =>
        Array.from({ length: 100 }, (_, n) =>
          owner.registerAction({
            name: `act.${o}.${n}`,
            description: 'Acts',
            input: {},
            handler: () => `${o} ${n}`,
          }),
        ),
      ),
    );
    const actions = await alice.actions();
    expect(actions.filter(({ name }) => name.startsWith('act.'))).toHaveLength(1000);
    expect(await alice.invoke('act.7.42', {}, { wait: true })).toMatchObject({ result: '7 42' });
    await Promise.all(owners.map((owner) => owner.close()));
    await expect.poll(() => alice.actions()).toEqual([]);
  });
});

describe('examples/review-vote', () => {
  it('runs', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', EXAMPLE],
      { cwd: daemon.projectDirectory, env: daemon.env, timeout: 60_000 },
    );
    expect(stdout.trim().split('\n')).toEqual([
      'Ann voted approve',
      'Ben voted approve',
      'Cleo voted request_changes',
      'use-postgres: 2 approve, 1 request changes, 0 abstain',
      'Ann: review.submit_vote failed: Ann has voted already.',
    ]);
  });
});
