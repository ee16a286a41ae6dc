import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';
import { SDK_SERVER } from './kit/sdk-server.ts';

const names = (kit: GatewayKit) => kit.gateway.status().servers.map(({ name }) => name);
const connected = (kit: GatewayKit, name: string) =>
  kit.gateway.status().servers.some((server) => server.name === name && server.connected);

test('applies a saved file, and notifies clients', async () => {
  await using kit = await GatewayKit.start([
    scripted('a', { tools: [tool('one')] }),
    scripted('b', { tools: [tool('two')] }),
  ]);
  const client = await kit.client();
  let changes = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => void changes++);
  await kit.configure([
    scripted('b', { tools: [tool('two')] }, { prefix: 'b_' }),
    scripted('c', { tools: [tool('three')] }),
  ]);
  await eventually(() => connected(kit, 'b') && connected(kit, 'c'));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).filter((name) => !name.startsWith('relay_'))).toEqual([
    'b_two',
    'three',
  ]);
  expect(changes).toBeGreaterThan(0);
});

test('does not disturb calls in flight, even on a backend that changes', async () => {
  await using kit = await GatewayKit.start([
    scripted('stays', { tools: [tool('wait')] }),
    scripted('changes', { tools: [tool('wait')] }, { prefix: 'old_' }),
  ]);
  const client = await kit.client();
  const calls = Promise.all([
    client.callTool({ name: 'wait', arguments: { ms: 900 } }),
    client.callTool({ name: 'old_wait', arguments: { ms: 900 } }),
  ]);
  await kit.configure([
    scripted('stays', { tools: [tool('wait')] }),
    scripted('changes', { tools: [tool('wait')] }, { prefix: 'new_' }),
  ]);
  await eventually(async () => (await client.listTools()).tools.some(({ name }) => name === 'new_wait'));
  expect((await calls).map(textOf)).toEqual(['waited', 'waited']);
});

test.each(['shared', 'session'])(
  'keeps watching resources of a backend that changes, scope %s',
  async (scope) => {
    const server = (timeout: number) => ({
      name: 'one',
      command: process.execPath,
      args: [SDK_SERVER, 'legacy'],
      scope,
      timeout,
    });
    await using kit = await GatewayKit.start([server(60)]);
    const client = await kit.client();
    const watched = async () => textOf(await client.callTool({ name: 'watched', arguments: {} }));
    await client.subscribeResource({ uri: 'note://one' });
    await eventually(async () => (await watched()) === 'note://one');
    await kit.configure([server(61)]);
    await kit.gateway.reload();
    await eventually(async () => (await watched()) === 'note://one');
    await client.unsubscribeResource({ uri: 'note://one' });
    await eventually(async () => (await watched()) === '');
  },
);

test('watches a resource at the backend that has it now', async () => {
  const server = (name: string) => ({ name, command: process.execPath, args: [SDK_SERVER, 'legacy'] });
  await using kit = await GatewayKit.start([server('one')]);
  const [first, second] = [await kit.client(), await kit.client()];
  await first.subscribeResource({ uri: 'note://one' });
  await kit.configure([server('two')]);
  await kit.gateway.reload();
  await eventually(() => connected(kit, 'two') === true);
  await second.subscribeResource({ uri: 'note://one' });
  await eventually(
    async () => textOf(await second.callTool({ name: 'watched', arguments: {} })) === 'note://one',
  );
});

test('keeps the running configuration if the file has a mistake, and reports its line', async () => {
  await using kit = await GatewayKit.start([scripted('a', { tools: [tool('echo')] })]);
  await writeFile(kit.configFile, 'backends:\n  - name: a\n   url: ws://x\n');
  const status = await eventually(() =>
    kit.gateway.status().config_error ? kit.gateway.status() : undefined,
  );
  expect(status.config_error).toMatch(
    /^The configuration on disk is not applied; the last valid one is running\. .*backends\.yaml:\d+:\d+: /,
  );
  const shown = await (await kit.client()).callTool({ name: 'relay_list_servers', arguments: {} });
  expect(textOf(shown)).toContain(`⚠️ ${status.config_error}`);
  expect(connected(kit, 'a')).toBe(true);
  await kit.configure([scripted('a', { tools: [tool('echo')] })]);
  await eventually(() => kit.gateway.status().config_error === undefined);
});

test('applies many quick changes in order', async () => {
  await using kit = await GatewayKit.start([]);
  for (let round = 0; round < 10; round++) {
    await kit.configure([scripted(`s${round}`, { tools: [tool('echo')] })]);
    void kit.gateway.reload();
  }
  await kit.gateway.reload();
  expect(names(kit)).toEqual(['s9']);
  await eventually(() => connected(kit, 's9'));
});

test('reports the line of a mistake at the start', async () => {
  await using kit = await GatewayKit.create();
  await writeFile(kit.configFile, 'backends: [ {name: a} ]\n');
  await expect(kit.open()).rejects.toMatchObject({
    code: 'InvalidBackendConfig',
    message: expect.stringMatching(/backends\.yaml:1:13/),
  });
});

test('passes on list_changed of a backend, with the new tools', async () => {
  await using kit = await GatewayKit.start([
    scripted('a', { tools: [tool('change')], changedTools: [tool('change'), tool('fresh')] }),
  ]);
  const client = await kit.client();
  await client.listTools();
  const lists: string[][] = [];
  client.setNotificationHandler('notifications/tools/list_changed', async () => {
    lists.push((await client.listTools()).tools.map(({ name }) => name));
  });
  await client.callTool({ name: 'change' });
  await eventually(() => lists.some((names) => names.includes('fresh')));
});
