import type { Relay } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { client } from '../messaging/commands.ts';
import { startProgram } from './kit.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const join = (name: string): Promise<Relay> => client(daemon, { name });

describe('tools between SDK agents', () => {
  it('are typed by zod, found at once, and called like a function', async () => {
    await using alice = await join('Alice');
    await using bob = await join('Bob');
    await bob.exposeTool({
      name: 'sum',
      description: 'Adds numbers',
      input: z.object({ numbers: z.array(z.number()), start: z.number().default(10) }),
      output: z.object({ sum: z.number() }),
      handler: ({ input, agent }) => {
        expect(agent).toMatchObject({ type: 'agent', name: 'Alice' });
        return { sum: input.numbers.reduce((sum, number) => sum + number, input.start) };
      },
    });
    expect(await alice.discover({ tool: 'sum' })).toMatchObject([
      { name: 'Bob', capabilities: [], tools: ['sum'] },
    ]);
    expect(await alice.tools('Bob')).toMatchObject([{ name: 'sum', served: true }]);
    expect(await alice.call('Bob.sum', { numbers: [1, 2] })).toEqual({ sum: 13 });
    await expect(alice.call('Bob.sum', { numbers: ['1'] })).rejects.toMatchObject({
      code: 'InvalidArguments',
      details: { field: 'numbers[0]' },
    });
  });

  it('report an invalid definition, or a result that cannot be sent', async () => {
    await using alice = await join('Alice');
    await using bob = await join('Bob');
    const tool = { name: 'look', description: 'Looks', input: {}, handler: () => 'x'.repeat(5_000_000) };
    const { input: _, ...bare } = tool;
    await expect(bob.exposeTool(bare as unknown as typeof tool)).rejects.toMatchObject({
      code: 'InvalidRequest',
      message: '"look" has no input schema.',
    });
    await expect(bob.registerAction({ ...tool, name: 'two words' })).rejects.toMatchObject({
      code: 'InvalidName',
      message: expect.stringContaining('The name of the action "two words" must be'),
    });
    await expect(bob.exposeTool({ ...tool, input: z.string() })).rejects.toMatchObject({
      code: 'InvalidRequest',
      message: 'The tool "look" has an input schema that takes no object.',
    });
    await bob.exposeTool(tool);
    await expect(alice.call('Bob.look')).rejects.toMatchObject({
      code: 'ToolFailed',
      message: expect.stringContaining('The result is too large (see quotas.callBytes)'),
    });
  });

  it('report progress, can be cancelled, and fail with their own message', async () => {
    await using alice = await join('Alice');
    await using bob = await join('Bob');
    const aborted = Promise.withResolvers<void>();
    await bob.exposeTool({
      name: 'slow',
      description: 'Waits',
      input: {},
      handler: ({ signal, progress }) => {
        progress(1, 2, 'half');
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            aborted.resolve();
            reject(signal.reason);
          }),
        );
      },
    });
    await bob.exposeTool({
      name: 'broken',
      description: 'Fails',
      input: {},
      handler: () => {
        throw new Error('no disk');
      },
    });
    const stop = new AbortController();
    const onProgress = (told: unknown) => {
      expect(told).toEqual({ progress: 1, total: 2, message: 'half' });
      stop.abort();
    };
    const call = alice.call('Bob.slow', {}, { signal: stop.signal, onProgress });
    await expect(call).rejects.toMatchObject({ code: 'Cancelled' });
    await aborted.promise;
    await expect(alice.call('Bob.broken')).rejects.toMatchObject({
      code: 'ToolFailed',
      message: 'Bob.broken failed: no disk',
    });
    await expect(alice.call('Bob.slow', {}, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'Timeout' });
  });

  it('may call further tools, as deep as the daemon allows', async () => {
    await using alice = await join('Alice');
    await using bob = await join('Bob');
    await bob.exposeTool({
      name: 'down',
      description: 'Goes down',
      input: z.object({ to: z.number() }),
      handler: ({ input, call }) => (input.to === 1 ? 'bottom' : call('Bob.down', { to: input.to - 1 })),
    });
    expect(await alice.call('Bob.down', { to: 8 })).toBe('bottom');
    await expect(alice.call('Bob.down', { to: 9 })).rejects.toMatchObject({
      code: 'ToolFailed',
      // Each adds that it has failed, and nothing else.
      message: expect.stringMatching(
        /^(Bob\.down failed: ){8}Calls may be 8 deep; this one would be at depth 9\. .*"quotas\.callDepth" in settings\.json\.$/,
      ),
    });
  });

  it('are served again after the daemon was killed; a call in progress is not repeated', async () => {
    await using own = await startDaemon();
    await using alice = await client(own, { name: 'Alice' });
    await using bob = await client(own, { name: 'Bob' });
    let runs = 0;
    const begun = Promise.withResolvers<void>();
    await bob.exposeTool({
      name: 'once',
      description: 'Runs once',
      input: {},
      handler: ({ signal }) => {
        runs += 1;
        begun.resolve();
        return runs > 1 ? 'again' : new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    const call = alice.call('Bob.once');
    const lost = expect(call).rejects.toMatchObject({ code: 'Connection', retryable: false });
    await begun.promise;
    await own.kill9();
    await lost;
    await own.start();
    await expect.poll(() => alice.discover({ tool: 'once' }), { timeout: 20_000 }).toHaveLength(1);
    expect(runs).toBe(1);
    expect(await alice.call('Bob.once')).toBe('again');
  });

  it('end with a clear error at once when the callee is killed', async () => {
    await using alice = await join('Alice');
    await using program = await startProgram(daemon, 'Victim');
    expect(await alice.call('Victim.echo', { text: 'hi' })).toEqual({ text: 'hi' });
    const call = alice.call('Victim.hang', {}, { onProgress: () => program.kill() });
    await expect(call).rejects.toMatchObject({ code: 'CalleeGone', retryable: false });
    expect(await alice.discover({ tool: 'hang' })).toEqual([]);
    await expect(alice.call('Victim.hang')).rejects.toMatchObject({ code: 'AgentOffline' });
  });

  it('cannot be called with a replaced token', async () => {
    await using owner = await client(daemon);
    await using bob = await join('Bob');
    const begun = Promise.withResolvers<AbortSignal>();
    await bob.exposeTool({
      name: 'wait',
      description: 'Waits',
      input: {},
      handler: ({ signal }) => {
        begun.resolve(signal);
        return new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
    const eve = await join('Eve');
    // At once, not when the time of the call is over.
    const code = expect.stringMatching(/^(Connection|Unauthorized)$/);
    const call = expect(eve.call('Bob.wait')).rejects.toMatchObject({ code });
    const signal = await begun.promise;
    await owner.request('TOKEN_ROTATE', { agent: 'Eve' });
    await call;
    await expect.poll(() => signal.aborted).toBe(true);
    await eve.close();
  });

  it('handle a thousand calls at once, none lost or mixed up', async () => {
    const callers = await Promise.all(Array.from({ length: 10 }, (_, i) => join(`caller-${i}x`)));
    const callees = await Promise.all(Array.from({ length: 4 }, (_, i) => join(`callee-${i}x`)));
    for (const callee of callees) {
      await callee.exposeTool({
        name: 'echo',
        description: 'Echoes',
        input: {},
        handler: async ({ input, agent }) => {
          await new Promise(setImmediate);
          return { ...input, by: callee.name, from: agent.name };
        },
      });
    }
    const calls = callers.flatMap((caller) =>
      Array.from({ length: 100 }, async (_, n) => {
        const callee = callees[n % callees.length]?.name;
        const result = await caller.call(`${callee}.echo`, { n });
        expect(result).toEqual({ n, by: callee, from: caller.name });
      }),
    );
    await Promise.all(calls);
    expect(calls).toHaveLength(1000);
    await Promise.all([...callers, ...callees].map((relay) => relay.close()));
  });
});

describe('the command line', () => {
  it('lists capabilities and calls tools, with JSON on stdout and progress on stderr', async () => {
    expect(output(await daemon.cli(['capabilities', '--tool', 'fly']))).toBe(
      'No agent online offers this.\n',
    );
    await using bob = await client(daemon, {
      name: 'Bob',
      capabilities: [{ category: 'review', description: 'Reads\u001b[31m code' }, 'math'],
    });
    await bob.exposeTool({
      name: 'review',
      description: 'Reviews',
      input: z.object({ path: z.string() }),
      handler: ({ input, progress }) => {
        progress(1, 2, 'reading');
        return { path: input.path, verdict: 'fine' };
      },
    });
    expect(json(await daemon.cli(['capabilities', '--json', '--capability', 'review']))).toMatchObject([
      {
        name: 'Bob',
        tools: [{ name: 'review', description: 'Reviews', inputSchema: { required: ['path'] } }],
      },
    ]);
    const shown = output(await daemon.cli(['capabilities', '--tool', 'review']));
    expect(shown).toContain('What agents say they can do. The relay does not check it.');
    expect(shown).toMatch(
      /\nBob\n {2}capabilities {2}review: Reads\ufffd\[31m code\n +math\n {2}tools +review: Reviews\n/,
    );
    await using _carol = await client(daemon, { name: 'Carol', capabilities: ['review'] });
    const limited = ['capabilities', '--capability', 'review', '--limit', '1'];
    expect(output(await daemon.cli(limited))).toMatch(
      /\nBob\n[\s\S]+\n\n1 more agent\. Filter with --capability or --tool, or show all with --limit 2\.\n$/,
    );
    expect(json(await daemon.cli([...limited, '--json']))).toMatchObject([{ name: 'Bob' }]);
    const args = ['call', 'Bob.review', '{"path":"src"}', '--as', 'Alice'];
    expect(await daemon.cli(args)).toMatchObject({
      code: 0,
      stdout: '{"path":"src","verdict":"fine"}\n',
      stderr: '1/2 reading\n',
    });
    expectFailure(await daemon.cli(['call', 'Bob.review', 'src']), 2, /not a JSON object/);
    expectFailure(await daemon.cli(['call', 'Bob.review', '{}']), 2, /path is required/);
    expectFailure(await daemon.cli(['call', 'Bob.revew', '{}']), 4, /Did you mean review/);
    expectFailure(await daemon.cli(['call', 'Nobody.review']), 4, /No agent "Nobody"/);
  });

  it('cancels the call with Ctrl-C', async () => {
    await using bob = await join('Bob');
    const ended = Promise.withResolvers<string>();
    await bob.exposeTool({
      name: 'wait',
      description: 'Waits',
      input: {},
      handler: ({ signal, progress }) => {
        progress(0, 1, 'waiting');
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            ended.resolve(signal.reason.code);
            resolve(undefined);
          }),
        );
      },
    });
    await using running = daemon.startCli(['call', 'Bob.wait', '--as', 'Alice']);
    await running.until(/waiting/);
    running.child.kill('SIGINT');
    expect(await ended.promise).toBe('Cancelled');
    expect(await running.result).toMatchObject({ code: 6, stdout: '' });
  });
});
