import { connect } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { callTool, connectStdio, ERAS, type TestClient } from './kit/clients.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const join = (name: string) => connect({ socketPath: daemon.socketPath, env: daemon.env, name });
const toolNames = async (client: TestClient) => (await client.listTools()).tools.map(({ name }) => name);

describe.each(ERAS)('the actions toolset over stdio, revision %s', (era) => {
  const open = (env: NodeJS.ProcessEnv, name?: string) =>
    connectStdio(daemon, {
      era,
      env,
      args: ['serve', '--tools', 'workspace,actions'],
      ...(name && { name }),
    });
  const unique = (name: string) => `${name}-${era.slice(0, 4)}`;

  it('turns actions into tools while their owner is there, and tells clients so', async () => {
    await using client = await open({ RELAY_AGENT_NAME: unique('Voter') });
    const changes: Array<() => void> = [];
    const nextChange = () => new Promise<void>((resolve) => changes.push(resolve));
    client.setNotificationHandler('notifications/tools/list_changed', () => changes.shift()?.());
    if (era === '2026-07-28') await client.listen({ toolsListChanged: true });
    expect(await toolNames(client)).toEqual(expect.arrayContaining(['list_actions', 'invoke_action']));
    const coordinator = await join(unique('Coordinator'));
    const appeared = nextChange();
    const votes: unknown[] = [];
    await coordinator.registerAction({
      name: 'review.submit_vote',
      description: 'Submit a review vote.',
      input: z.object({ vote: z.enum(['approve', 'abstain']) }),
      handler: ({ input, agent }) => {
        votes.push([agent.name, input.vote]);
        return { recorded: true };
      },
    });
    await appeared;
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'review.submit_vote')).toMatchObject({
      description: expect.stringContaining('Submit a review vote.'),
      inputSchema: { type: 'object', required: ['vote'] },
    });
    for (const name of ['review.submit_vote', 'review_submit_vote'])
      expect((await callTool(client, name, { vote: 'approve' })).data).toEqual({
        ok: true,
        status: 'invoked',
        invocation: { invocationId: expect.any(String), actionName: 'review.submit_vote' },
      });
    await expect.poll(() => votes).toHaveLength(2);
    expect(votes[0]).toEqual([unique('Voter'), 'approve']);
    const gone = nextChange();
    await coordinator.close();
    await gone;
    expect(await toolNames(client)).not.toContain('review.submit_vote');
  });

  it('invokes, waits, and reads the result later; failures have one form', async () => {
    await using client = await open({ RELAY_AGENT_NAME: unique('Caller') });
    await using owner = await join(unique('Owner'));
    await owner.registerAction({
      name: 'math.halve',
      description: 'Halves',
      input: z.object({ number: z.number() }),
      handler: ({ input }) => {
        if (input.number % 2 === 1) throw new Error('It is odd.');
        return input.number / 2;
      },
    });
    await owner.exposeTool({ name: 'echo', description: 'Echoes', input: {}, handler: ({ input }) => input });
    const invoke = (args: Record<string, unknown>) => callTool(client, 'invoke_action', args);
    const invocation = { invocationId: expect.any(String), actionName: 'math.halve' };
    expect((await callTool(client, 'list_actions')).data.actions).toMatchObject([{ name: 'math.halve' }]);
    expect((await invoke({ name: 'math.halve', input: { number: 8 }, wait: true })).data).toEqual({
      ok: true,
      status: 'completed',
      invocation,
      result: 4,
    });
    expect(await invoke({ name: 'math.halve', input: { number: 3 }, wait: true })).toMatchObject({
      isError: true,
      data: { ok: false, error: 'math.halve failed: It is odd.', invocation },
    });
    expect(await invoke({ name: 'math.halve', input: {} })).toMatchObject({
      isError: true,
      data: { ok: false, error: 'math.halve: number is required.', code: 'InvalidArguments' },
    });
    const { data } = await invoke({ name: 'math.halve', input: { number: 6 } });
    const { invocationId } = data.invocation as { invocationId: string };
    await expect
      .poll(async () => (await callTool(client, 'get_invocation', { invocation_id: invocationId })).data)
      .toMatchObject({ status: 'completed', result: 3 });
    const called = await invoke({ name: `${unique('Owner')}.echo`, input: { text: 'hi' }, wait: true });
    expect(called.data).toMatchObject({ status: 'completed', result: { text: 'hi' } });
  });

  it('gives clients whose models take no dots the other spelling', async () => {
    await using owner = await join(unique('Dotted'));
    await owner.registerAction({ name: 'a.b', description: 'Does', input: {}, handler: () => 1 });
    await using dotted = await open({ RELAY_AGENT_NAME: unique('WithDots') }, 'claude-code');
    expect(await toolNames(dotted)).toContain('a.b');
    await using client = await open({ RELAY_AGENT_NAME: unique('Dotless') }, 'cursor-vscode');
    expect(await toolNames(client)).toContain('a_b');
    expect((await callTool(client, 'a_b')).data).toMatchObject({ ok: true });
  });
});
