import { type Capability, connect } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { callTool, connectStdio, ERAS, type TestClient } from './kit/clients.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const agent = (name: string, capabilities: Capability[] = []) =>
  connect({ socketPath: daemon.socketPath, env: daemon.env, name, capabilities });

const REVIEW = { category: 'code_review', description: 'Reviews pull requests' };

async function read(client: TestClient, uri: string): Promise<unknown> {
  const [content] = (await client.readResource({ uri })).contents;
  expect(content).toMatchObject({ uri, mimeType: 'application/json' });
  return JSON.parse((content as { text: string }).text);
}

/** Resolves when the client is told that the resource changed. */
async function updateOf(client: TestClient, era: string, uri: string): Promise<{ came: Promise<void> }> {
  const updated = Promise.withResolvers<void>();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    if (params.uri === uri) updated.resolve();
  });
  if (era === '2026-07-28') await client.listen({ resourceSubscriptions: [uri] });
  else await client.subscribeResource({ uri });
  return { came: updated.promise };
}

describe.each(ERAS)('resources over stdio, revision %s', (era) => {
  const unique = (name: string) => `${name}-${era.slice(0, 4)}`;

  it('lists resources and templates', async () => {
    await using client = await connectStdio(daemon, { era });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['relay://agents', 'relay://inbox', 'relay://project', 'relay://capabilities']),
    );
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('relay://agents/{name}');
  });

  it('reads agents, one agent, the project and capabilities', async () => {
    await using _reviewer = await agent(unique('Reviewer'), [REVIEW]);
    await using client = await connectStdio(daemon, { era, env: { RELAY_AGENT_NAME: unique('Me') } });
    await callTool(client, 'relay_status');
    const names = ((await read(client, 'relay://agents')) as Array<{ name: string }>).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([unique('Reviewer'), unique('Me')]));
    expect(await read(client, `relay://agents/${unique('reviewer')}`)).toMatchObject({
      name: unique('Reviewer'),
      mcpEnabled: false,
    });
    expect(await read(client, `relay://agents/${unique('Me')}`)).toMatchObject({ mcpEnabled: true });
    expect(await read(client, 'relay://project')).toEqual({
      project: daemon.project,
      socketPath: daemon.socketPath,
      daemonVersion: expect.any(String),
    });
    expect(await read(client, 'relay://capabilities')).toMatchObject({
      code_review: expect.arrayContaining([unique('Reviewer')]),
    });
    const [, described] = (await client.readResource({ uri: 'relay://capabilities' })).contents;
    expect(JSON.parse((described as { text: string }).text)).toMatchObject({
      descriptions: { [unique('Reviewer')]: { code_review: REVIEW.description } },
    });
    // The code of a resource that is not there, in both eras.
    for (const missing of ['Nobody', '%zz'])
      await expect(read(client, `relay://agents/${missing}`)).rejects.toMatchObject({
        code: -32602,
        data: { uri: `relay://agents/${missing}` },
        message: expect.stringContaining(`No agent "${missing}" is known.`),
      });
    await expect(read(client, `relay://agents/${unique('Reviewe')}`)).rejects.toThrow(
      `Did you mean ${unique('Reviewer')}`,
    );
  });

  it('notifies a subscriber of the inbox, and reading it does not mark messages as read', async () => {
    await using alice = await agent(unique('Alice'));
    const name = unique('Subscriber');
    await using client = await connectStdio(daemon, { era, env: { RELAY_AGENT_NAME: name } });
    await callTool(client, 'relay_status');
    const update = await updateOf(client, era, 'relay://inbox');
    await alice.send(name, 'News');
    await update.came;
    expect(await read(client, 'relay://inbox')).toMatchObject([{ from: unique('Alice'), content: 'News' }]);
    expect((await callTool(client, 'relay_inbox')).data).toMatchObject({ messages: [{ content: 'News' }] });
  });

  it('sends few notifications for a burst of messages', async () => {
    const BURST = 300;
    await using alice = await agent(unique('Alice'));
    const name = unique('Busy');
    await using client = await connectStdio(daemon, { era, env: { RELAY_AGENT_NAME: name } });
    await callTool(client, 'relay_status');
    await updateOf(client, era, 'relay://inbox');
    let updates = 0;
    client.setNotificationHandler('notifications/resources/updated', () => void updates++);
    await Promise.all(Array.from({ length: BURST }, (_, i) => alice.send(name, `News ${i}`)));
    await expect.poll(() => updates).toBeGreaterThan(0);
    // Whatever was on its way when the last one was stored comes before this answer.
    await callTool(client, 'relay_status');
    expect(updates).toBeLessThan(BURST / 3);
  });

  it('reads messages and channels, and notifies when a channel changes', async () => {
    await using alice = await agent(unique('Alice'));
    const name = unique('Reader');
    const env = { RELAY_AGENT_NAME: name, RELAY_CHANNELS: unique('start') };
    await using client = await connectStdio(daemon, { era, env });
    await callTool(client, 'relay_status');
    await alice.send(name, 'In the history');
    expect(await read(client, 'relay://messages')).toMatchObject([{ content: 'In the history' }]);
    const update = await updateOf(client, era, 'relay://channels');
    await alice.channels.create(unique('backend'), { topic: 'servers' });
    await update.came;
    expect(await read(client, 'relay://channels')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: `#${unique('backend')}`,
          topic: 'servers',
          members: [unique('Alice')],
        }),
        expect.objectContaining({ name: `#${unique('start')}`, members: [name] }),
      ]),
    );
  });

  it('notifies a subscriber of the agents when one connects', async () => {
    await using client = await connectStdio(daemon, { era });
    await callTool(client, 'relay_status');
    const update = await updateOf(client, era, `relay://agents/${unique('Newcomer')}`);
    await using _newcomer = await agent(unique('Newcomer'));
    await update.came;
  });
});

it('limits subscriptions to existing resources, and in number', async () => {
  await using client = await connectStdio(daemon, { era: '2025-11-25' });
  for (const uri of ['relay://nothing', `relay://agents/${'x'.repeat(300)}`])
    await expect(client.subscribeResource({ uri })).rejects.toMatchObject({ code: -32602 });
  for (let i = 0; i < 1000; i++) await client.subscribeResource({ uri: `relay://agents/agent-${i}` });
  await client.subscribeResource({ uri: 'relay://agents/agent-0' });
  await expect(client.subscribeResource({ uri: 'relay://inbox' })).rejects.toThrow(
    'A session may follow 1000 resources.',
  );
  await client.unsubscribeResource({ uri: 'relay://agents/agent-0' });
  await client.subscribeResource({ uri: 'relay://inbox' });
});

describe.each(ERAS)('prompts over stdio, revision %s', (era) => {
  it('writes prompts with the names of the served tools', async () => {
    await using client = await connectStdio(daemon, { era, args: ['serve', '--tools', 'network'] });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      'relay_protocol',
      'coordinate_task',
      'handoff_work',
      'status_report',
    ]);
    const text = async (name: string, args: Record<string, string> = {}) => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      return messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join();
    };
    const protocol = await text('relay_protocol');
    expect(protocol).toContain('relay_send_message(to="Alice"');
    // Workers, and what is expected of them.
    expect(protocol).toMatch(/## Workers[\s\S]*relay_spawn_agent\([\s\S]*relay_release_agent\(/);
    expect(protocol).toMatch(
      /## When you are a worker yourself\s+The agent you work for waits for your ACK, your progress and your DONE\.\n\n## /,
    );
    const task = await text('coordinate_task', { task: 'Ship it', agents: 'Alice, Bob' });
    expect(task).toContain('Ship it');
    expect(task).toContain('Alice, Bob');
    expect(await text('handoff_work', { to: 'Bob', context: 'Half done' })).toContain('to="Bob"');
    expect(task).toContain('report the result: relay_send_message(to="#general", ');
    const report = await text('status_report');
    expect(report).toContain('relay_list_agents(includeMetadata=true)');
    expect(report).toContain('Post it: relay_send_message(to="#general", ');
    // A name without # would be that of an agent.
    for (const channel of ['#ops', 'ops'])
      expect(await text('status_report', { channel })).toContain('relay_send_message(to="#ops", ');
    await expect(text('handoff_work', { to: 'Bob' })).rejects.toThrow('context');
    expect(client.getInstructions()).toContain('relay_send_message');
  });

  it('completes the names of agents', async () => {
    await using _zoe = await agent('Zoe');
    await using client = await connectStdio(daemon, { era });
    const complete = async (ref: Parameters<typeof client.complete>[0]['ref'], name: string, value: string) =>
      (await client.complete({ ref, argument: { name, value } })).completion.values;
    expect(await complete({ type: 'ref/prompt', name: 'handoff_work' }, 'to', 'zo')).toEqual(['Zoe']);
    expect(await complete({ type: 'ref/prompt', name: 'coordinate_task' }, 'agents', 'Al, Z')).toEqual([
      'Al, Zoe',
    ]);
    expect(await complete({ type: 'ref/resource', uri: 'relay://agents/{name}' }, 'name', 'Z')).toEqual([
      'Zoe',
    ]);
    expect(await complete({ type: 'ref/prompt', name: 'handoff_work' }, 'context', 'x')).toEqual([]);
  });
});
