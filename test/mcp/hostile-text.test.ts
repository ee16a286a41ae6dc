import { connect } from '@agent-relay/sdk/node';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startDaemon } from '../kit/daemon.ts';
import { callTool, connectStdio } from './kit/clients.ts';

/** Tag characters that spell "hi", direction marks, an escape, a C1 control, a line separator, a private character. */
const HOSTILE = 'a\u{E0068}\u{E0069}\u202Eb\u2066c\u001B[31m\u009B\u2028\uE000\u200Bz';
const HARMLESS = /^[\n\t\P{C}]*$/u;

it('tools and resources hide text that people cannot see', async () => {
  await using daemon = await startDaemon();
  const options = { socketPath: daemon.socketPath, env: daemon.env };
  await using mallory = await connect({ ...options, name: 'Mallory', task: HOSTILE, channels: ['#den'] });
  await using client = await connectStdio(daemon, {
    env: { RELAY_AGENT_NAME: 'Reader', RELAY_CHANNELS: '#den' },
    args: ['serve', '--tools', 'workspace,relay,network'],
  });
  await callTool(client, 'list_agents');
  await mallory.channels.topic('#den', HOSTILE);
  const { messageId: message_id } = await mallory.send('Reader', `needle ${HOSTILE}`, { thread: 't1' });
  await mallory.send('#den', `needle ${HOSTILE}`);
  await mallory.send(['Reader', 'Mallory'], HOSTILE);

  const calls: Array<[tool: string, args?: Record<string, unknown>]> = [
    ['check_inbox'],
    ['list_agents'],
    ['list_channels'],
    ['list_messages', { channel: 'den' }],
    ['list_dms'],
    ['search_messages', { query: 'needle' }],
    ['get_message_thread', { message_id }],
    ['relay_who'],
    ['relay_list_agents', { includeMetadata: true }],
    ['relay_get_messages', {}],
    ['relay_inbox', { unread_only: false }],
    ['relay_status'],
    ['send_dm', { to: `Nobody${HOSTILE}`, text: 'hi' }],
  ];
  let seen = 0;
  for (const [tool, args] of calls) {
    const { texts, data } = await callTool(client, tool, args);
    for (const text of [...texts, ...textsIn(data)]) expect(text, tool).toMatch(HARMLESS);
    if (JSON.stringify(data).includes('\u{FFFD}')) seen += 1;
  }
  // Otherwise nothing would have been there to be made harmless.
  expect(seen).toBeGreaterThanOrEqual(10);
  const { resources } = await client.listResources();
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    for (const content of contents) {
      const text = 'text' in content ? content.text : '';
      expect(text, uri).toMatch(HARMLESS);
      for (const inside of textsIn(JSON.parse(text))) expect(inside, uri).toMatch(HARMLESS);
    }
  }
});

it('actions hide it too, in definition, progress, result and failure', async () => {
  await using daemon = await startDaemon();
  await using mallory = await connect({ socketPath: daemon.socketPath, env: daemon.env, name: 'Mallory' });
  await mallory.registerAction({
    name: 'gift',
    description: `A gift ${HOSTILE}`,
    input: z.looseObject({ wrapped: z.enum(['yes', HOSTILE]).optional().describe(HOSTILE) }),
    handler: ({ input, progress }) => {
      progress(1, 2, HOSTILE);
      if (input.wrapped === undefined) throw new Error(HOSTILE);
      return { [`key ${HOSTILE}`]: HOSTILE };
    },
  });
  await using client = await connectStdio(daemon, {
    env: { RELAY_AGENT_NAME: 'Reader' },
    args: ['serve', '--tools', 'workspace,network,actions'],
  });
  const seen: unknown[] = [await client.listTools()];
  const invoke = (args: Record<string, unknown>) =>
    callTool(
      client,
      'invoke_action',
      { name: 'gift', wait: true, ...args },
      { onprogress: (report) => void seen.push(report) },
    );
  const given = await invoke({ input: { wrapped: 'yes' } });
  expect(given.data).toMatchObject({ ok: true });
  const { invocationId: invocation_id } = given.data.invocation as { invocationId: string };
  seen.push(given, await invoke({}), await invoke({ input: { [HOSTILE]: 1, wrapped: HOSTILE.slice(1) } }));
  for (const [tool, args] of [
    ['list_actions', {}],
    ['get_invocation', { invocation_id }],
    ['relay_discover_capabilities', {}],
    ['query_nodes', {}],
  ] as const)
    seen.push(await callTool(client, tool, args));
  for (const text of textsIn(seen)) expect(text).toMatch(HARMLESS);
  expect(seen.filter((one) => JSON.stringify(one).includes('\u{FFFD}')).length).toBeGreaterThanOrEqual(7);
});

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item)]);
}
