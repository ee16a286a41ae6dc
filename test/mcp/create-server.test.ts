import { createServer } from '@agent-relay/mcp';
import { connect } from '@agent-relay/sdk/node';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { startDaemon } from '../kit/daemon.ts';
import { callTool, connectClient } from './kit/clients.ts';

it('serves a custom transport', async () => {
  await using daemon = await startDaemon();
  const env = { ...daemon.env, RELAY_SOCKET: daemon.socketPath, RELAY_AGENT_NAME: 'Embedded' };
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const server = createServer({ env, tools: ['relay', 'network'] });
  await server.connect(serverSide);
  await using client = await connectClient(clientSide);
  await using alice = await connect({ socketPath: daemon.socketPath, env: daemon.env, name: 'Alice' });
  expect((await callTool(client, 'relay_status')).data).toMatchObject({ agentName: 'Embedded' });
  await alice.send('Embedded', 'Hello');
  expect((await callTool(client, 'relay_inbox')).data).toMatchObject({ messages: [{ content: 'Hello' }] });
  expect((await callTool(client, 'relay_inbox')).data).toMatchObject({ messages: [] });
  await alice.watch();
  const left = new Promise<string>((resolve) => alice.on('agent.offline', ({ agent }) => resolve(agent)));
  await server.close();
  expect(await left).toBe('Embedded');
});
