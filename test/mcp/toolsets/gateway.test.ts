import { HttpHandler } from '@agent-relay/gateway';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayKit, scripted, tool } from '../../gateway/kit/gateway-kit.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { callTool, connectClient } from '../kit/clients.ts';
import { httpTransport, openDoor, sseTransport, type TestDoor } from '../kit/http-door.ts';

let daemon: TestDaemon;
let kit: GatewayKit;
let visitors: HttpHandler;
let door: TestDoor;
let keyedDoor: TestDoor;
beforeAll(async () => {
  daemon = await startDaemon();
  kit = await GatewayKit.start([scripted('one', { tools: [tool('echo')] })]);
  visitors = new HttpHandler(kit.gateway);
  const options: Parameters<typeof openDoor>[1] = {
    gateway: {
      handle: (request, response, visit) => visitors.handle(request, response, visit),
    },
    defaultTools: ['gateway'],
    toolsetsFor: ({ kind }) => (kind === 'apiKey' ? ['network'] : undefined),
  };
  door = await openDoor(daemon, options);
  keyedDoor = await openDoor(daemon, { ...options, apiKey: 'the-api-key' });
});
afterAll(async () => {
  await keyedDoor.close();
  await door.close();
  await visitors.close();
  await kit[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
});

it('is served by default, if the server says so', async () => {
  await using client = await connectClient(httpTransport(door));
  expect((await callTool(client, 'echo')).texts).toEqual(['echo {}']);
});

it('is refused to a key that does not allow it', async () => {
  const headers = { authorization: 'Bearer the-api-key' };
  for (const tools of ['gateway', 'network,gateway']) {
    const refused = await fetch(`${keyedDoor.url}?tools=${tools}`, { method: 'POST', headers, body: '{}' });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('does not allow the toolset \\"gateway\\"');
  }
  await using client = await connectClient(
    httpTransport(keyedDoor, { key: 'the-api-key', tools: 'network' }),
  );
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
});

it('keeps the chosen toolset of clients of the older transport', async () => {
  await using client = await connectClient(
    sseTransport(`${door.url}/sse`, { tools: 'network', agent: 'Ann' }),
  );
  expect(await callTool(client, 'relay_list_agents')).toMatchObject({ isError: false });
});
