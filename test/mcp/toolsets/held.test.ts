import { connect } from '@agent-relay/sdk/node';
import { expect, it } from 'vitest';
import { startDaemon } from '../../kit/daemon.ts';
import { callTool, connectStdio, type TestClient } from '../kit/clients.ts';

const REASON = expect.stringMatching(/^muted by loop governor/);

/** An agent that sent an answer that leads nowhere is told that nobody will read it. */
async function expectHeld(client: TestClient, tool: string, args: Record<string, unknown>): Promise<void> {
  const { texts, data, isError } = await callTool(client, tool, args);
  expect({ tool, data, isError }).toMatchObject({ tool, data: { held: REASON }, isError: false });
  expect(texts.join('\n')).toContain('muted by loop governor');
  expect(texts.join('\n')).not.toContain('Message sent');
}

it('every tool that sends says when a message is held', async () => {
  await using daemon = await startDaemon({ settings: { governor: { emptyTurns: 2 } } });
  await using dora = await connect({ socketPath: daemon.socketPath, env: daemon.env, name: 'Dora' });
  const args = ['serve', '--tools', 'relay,network,workspace'];
  await using carl = await connectStdio(daemon, { env: { RELAY_AGENT_NAME: 'Carl' }, args });
  for (let turn = 0; turn < 2; turn++) {
    await callTool(carl, 'relay_send', { to: 'Dora', message: 'thanks' });
    await dora.send('Carl', 'thanks');
  }
  await expectHeld(carl, 'relay_send', { to: 'Dora', message: 'thanks' });
  await expectHeld(carl, 'relay_send_message', { to: 'Dora', body: 'thanks' });
  await expectHeld(carl, 'send_dm', { to: 'Dora', text: 'thanks' });
});

it('the tool of the roles says it too', async () => {
  await using daemon = await startDaemon({ settings: { governor: { emptyTurns: 2 } } });
  await using client = await connectStdio(daemon, { args: ['serve', '--tools', 'roles'] });
  const thank = (from: string, to: string) => ({ from, to, kind: 'free', body: 'thanks' });
  for (let turn = 0; turn < 2; turn++) {
    await callTool(client, 'post_message', thank('pm', 'dev-a'));
    await callTool(client, 'post_message', thank('dev-a', 'pm'));
  }
  await expectHeld(client, 'post_message', thank('pm', 'dev-a'));
});
