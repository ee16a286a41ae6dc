import { connect } from '@agent-relay/sdk/node';
import { expect, it } from 'vitest';
import { startDaemon } from '../../kit/daemon.ts';
import { connectStdio } from '../kit/clients.ts';

// Clients such as Codex call a tool without asking if it says that it destroys nothing.
it.each([
  ['relay', ['relay_release', 'relay_spawn']],
  ['network', ['relay_release_agent', 'relay_spawn_agent']],
  ['workspace,actions', ['add_agent', 'build', 'invoke_action', 'remove_agent', 'spawn']],
])('%s: tools that start, end or call others are marked as destructive', async (tools, harmful) => {
  await using daemon = await startDaemon();
  await using builder = await connect({ socketPath: daemon.socketPath, env: daemon.env, name: 'Builder' });
  await builder.registerAction({
    name: 'build',
    description: 'Builds it.',
    input: {},
    handler: () => 'done',
  });
  await using client = await connectStdio(daemon, {
    args: ['serve', '--tools', tools],
    env: { RELAY_AGENT_NAME: 'Lister' },
  });
  const listed = (await client.listTools()).tools;
  const mayHarm = listed.filter(({ annotations }) => annotations?.destructiveHint !== false);
  const acting = mayHarm.filter(({ annotations }) => !annotations?.readOnlyHint);
  expect(acting.map(({ name }) => name).sort()).toEqual(harmful);
});
