import { connect } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { callTool, connectStdio, ERAS, type TestClient } from '../kit/clients.ts';

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

  it('turns actions into tools while their owner is connected, and notifies clients', async () => {
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

  it('turns a thousand actions of ten agents into tools, with only a few notifications', async () => {
    await using client = await open({ RELAY_AGENT_NAME: unique('Watcher') });
    let changes = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      changes += 1;
    });
    if (era === '2026-07-28') await client.listen({ toolsListChanged: true });
    await callTool(client, 'list_actions');
    const owners = await Promise.all(Array.from({ length: 10 }, (_, n) => join(unique(`Owner${n}`))));
    const action = (name: string) => ({ name, description: 'Acts', input: {}, handler: () => name });
    await Promise.all(
      owners.flatMap((owner, o) =>
        Array.from({ length: 100 }, (_, n) => owner.registerAction(action(`act${o}_${n}`))),
      ),
    );
    const acts = async () => (await toolNames(client)).filter((name) => /^act\d_/.test(name));
    await expect.poll(acts, { timeout: 10_000 }).toHaveLength(1000);
    expect(new Set(await acts()).size).toBe(1000);
    const { data } = await callTool(client, 'invoke_action', { name: 'act7_42', wait: true });
    expect(data).toMatchObject({ ok: true, result: 'act7_42' });
    await Promise.all(owners.map((owner) => owner.close()));
    await expect.poll(acts, { timeout: 10_000 }).toEqual([]);
    expect(changes).toBeGreaterThan(0);
    expect(changes).toBeLessThanOrEqual(40);
  });

  it('invokes, waits, and reads the result later', async () => {
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
    const inputSchema = { type: 'object', properties: { number: { type: 'number' } }, required: ['number'] };
    expect((await callTool(client, 'list_actions')).data.actions).toEqual([
      { name: 'math.halve', description: 'Halves', inputSchema, owner: unique('Owner') },
    ]);
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

  it('fails in one form, also for bad input and for a tool whose owner has just left', async () => {
    await using client = await open({ RELAY_AGENT_NAME: unique('Failing') });
    const owner = await join(unique('Leaving'));
    await owner.registerAction({ name: unique('leave.now'), description: '', input: {}, handler: () => 1 });
    await expect.poll(() => toolNames(client)).toContain(unique('leave.now'));
    const calls: Array<[string, Record<string, unknown>, string]> = [
      ['get_invocation', { invocation_id: 'nothing' }, 'InvocationNotFound'],
      ['get_invocation', {}, 'InvalidRequest'],
      ['invoke_action', {}, 'InvalidRequest'],
      ['invoke_action', { name: 'a', timeout_ms: 0 }, 'InvalidRequest'],
      ['invoke_action', { name: 'a', unknown: 1 }, 'InvalidRequest'],
      ['list_actions', { agent: 'Nobody' }, 'AgentNotFound'],
      [unique('leave.now'), {}, 'ActionNotFound'],
    ];
    await owner.close();
    for (const [name, args, code] of calls) {
      const { isError, texts, data } = await callTool(client, name, args);
      expect([name, isError, data]).toMatchObject([
        name,
        true,
        { ok: false, error: expect.any(String), code },
      ]);
      expect(JSON.parse(texts[0] ?? '')).toEqual(data);
    }
    await expect(callTool(client, 'never_there')).rejects.toThrow('There is no tool "never_there" here.');
  });

  it('lists a limited number of actions, filtered by prefix', async () => {
    await using client = await open({ RELAY_AGENT_NAME: unique('Chooser') });
    await using owner = await join(unique('Rich'));
    const offer = (name: string, description: string) =>
      owner.registerAction({ name, description, input: {}, handler: () => 1 });
    const number = (index: number) => String(index).padStart(2, '0');
    await Promise.all([
      ...Array.from({ length: 52 }, (_, index) => offer(`many.no_${number(index)}`, 'Short')),
      ...Array.from({ length: 40 }, (_, index) => offer(`long.no_${number(index)}`, 'x'.repeat(1000))),
    ]);
    const list = async (args: Record<string, unknown>) => {
      const { data, texts } = await callTool(client, 'list_actions', args);
      return {
        names: (data.actions as Array<{ name: string }>).map(({ name }) => name),
        more: data.more,
        text: texts.join('\n'),
      };
    };
    const many = await list({ name: 'many' });
    expect(many).toMatchObject({ more: 2, names: { length: 50, 0: 'many.no_00' } });
    expect(many.text).toContain('2 more actions are not shown. Filter by the beginning of the name.');
    expect(await list({ name: 'many.no_5' })).toMatchObject({
      names: ['many.no_50', 'many.no_51'],
      more: undefined,
    });
    expect((await list({ name: 'Many_no_51' })).names).toEqual(['many.no_51']);
    expect((await list({ name: 'none' })).names).toEqual([]);
    const { names, more, text } = await list({});
    expect(text.length).toBeLessThan(36_000);
    expect(names.length + Number(more)).toBe(92);
  });

  it('says what needs consent, what it waits for, and where the result will be', async () => {
    await using client = await open({ RELAY_AGENT_NAME: unique('Asker') });
    await using owner = await join(unique('Careful'));
    await using person = await connect({
      socketPath: daemon.socketPath,
      env: daemon.env,
      name: 'Petra',
      type: 'human',
      lead: true,
    });
    const name = unique('careful.act');
    await owner.registerAction({ name, description: 'Acts', input: {}, consent: true, handler: () => 7 });
    expect((await callTool(client, 'list_actions')).data.actions).toMatchObject([
      { name, consent: 'A person has to allow each call.' },
    ]);
    const { tools } = await client.listTools();
    expect(tools.find((tool) => tool.name === name)?.description).toBe(
      `Acts (action of ${unique('Careful')}; a person has to allow it)`,
    );
    const asked = Promise.withResolvers<string>();
    person.on('message', ({ id, content }) => {
      if (content.includes(name)) asked.resolve(id);
    });
    const progress: unknown[] = [];
    const { isError, data } = await callTool(
      client,
      'invoke_action',
      { name, wait: true, timeout_ms: 3000 },
      { onprogress: ({ message }) => progress.push(message) },
    );
    expect(progress).toEqual(['Waiting for consent from Petra.']);
    expect(isError).toBe(true);
    const { invocationId } = data.details as { invocationId: string };
    expect(data.next).toBe(`Read its result later: get_invocation("${invocationId}").`);
    await person.reply(await asked.promise, 'Yes.');
    await expect
      .poll(async () => (await callTool(client, 'get_invocation', { invocation_id: invocationId })).data)
      .toMatchObject({ status: 'completed', result: 7 });
  });

  it('lets programs call the tool of an MCP agent, which answers in a message', async () => {
    await using client = await open({}, 'claude-code');
    await using program = await join(unique('Program'));
    const name = unique('Mia');
    await callTool(client, 'register_agent', {
      name,
      handle: `@${unique('mm')}`,
      metadata: {
        tools: [
          { name: 'review', description: 'Reviews', inputSchema: { required: ['path'] } },
          { name: 'summarize' },
        ],
      },
    });
    const { agents } = (await callTool(client, 'list_agents')).data as { agents: Array<{ name: string }> };
    expect(agents.find((agent) => agent.name === name)).toMatchObject({ tools: ['review', 'summarize'] });
    expect((await callTool(client, 'list_actions', { agent: name })).data.tools).toMatchObject([
      { name: `${name}.review`, description: 'Reviews', inputSchema: { required: ['path'] } },
      { name: `${name}.summarize`, inputSchema: {} },
    ]);
    await expect(program.call(`${name}.review`)).rejects.toMatchObject({ code: 'InvalidArguments' });
    const result = program.call(`${name}.review`, { path: 'src/cart.ts' });
    const question = async () =>
      ((await callTool(client, 'check_inbox')).data.messages as Array<Record<string, string>>)[0];
    await expect.poll(question).toMatchObject({ content: expect.stringContaining('"path": "src/cart.ts"') });
    await callTool(client, 'reply_to_thread', {
      message_id: (await question())?.id,
      text: '{"verdict":"fine"}',
    });
    expect(await result).toEqual({ verdict: 'fine' });
    const left = expect(program.call(`${name}.summarize`)).rejects.toMatchObject({ code: 'CalleeGone' });
    await expect.poll(async () => (await callTool(client, 'check_inbox')).texts[0]).toContain('summarize');
    await client.close();
    await left;
  });

  it('tells an action who invokes it: name, handle and session', async () => {
    await using owner = await join(unique('Curious'));
    const callers: unknown[] = [];
    const name = unique('who.asks');
    await owner.registerAction({
      name,
      description: 'Asks',
      input: {},
      handler: ({ agent }) => void callers.push(agent),
    });
    const invoke = async (client: TestClient) => {
      const { data } = await callTool(client, 'invoke_action', { name, wait: true });
      expect(data).toMatchObject({ ok: true });
    };
    await using given = await open({ RELAY_AGENT_NAME: unique('Given') });
    await invoke(given);
    await using chosen = await open({});
    await callTool(chosen, 'register_agent', { name: unique('Chosen'), handle: unique('cc') });
    await invoke(chosen);
    const caller = { type: 'agent', id: expect.any(String), sessionId: expect.stringMatching(/.{8,}/) };
    expect(callers).toEqual([
      { ...caller, name: unique('Given') },
      { ...caller, name: unique('Chosen'), handle: unique('cc') },
    ]);
    expect(new Set(callers.map((one) => (one as { sessionId: string }).sessionId)).size).toBe(2);
  });

  it('uses the other spelling for clients whose models accept no dots', async () => {
    await using owner = await join(unique('Dotted'));
    await owner.registerAction({ name: 'a.b', description: 'Does', input: {}, handler: () => 1 });
    await using dotted = await open({ RELAY_AGENT_NAME: unique('WithDots') }, 'claude-code');
    expect(await toolNames(dotted)).toContain('a.b');
    await using client = await open({ RELAY_AGENT_NAME: unique('Dotless') }, 'cursor-vscode');
    expect(await toolNames(client)).toContain('a_b');
    expect((await callTool(client, 'a_b')).data).toMatchObject({ ok: true });
  });
});
