import { expect, test } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { GatewayKit, scripted, textOf, tool } from './kit/gateway-kit.ts';

const FLOOD = 20_000;
const script = {
  tools: [tool('notify'), tool('flood'), tool('echo')],
  resources: [{ uri: 'note://one', name: 'one' }],
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
};
/** Ten at once, and one a second. */
const loud = scripted('loud', script, { notificationsPerSecond: 1 });
const dropped = (kit: GatewayKit) => kit.gateway.status().servers[0]?.dropped_notifications ?? 0;
const notify = (method: string, params: object, more = {}) => ({
  name: 'notify',
  arguments: { method, params, count: FLOOD, ...more },
});

test('drops and counts log messages beyond the rate of a backend, and reports it once', async () => {
  await using kit = await GatewayKit.start([loud, scripted('good', { tools: [tool('well')] })]);
  const client = await kit.client();
  let heard = 0;
  client.setNotificationHandler('notifications/message', () => void heard++);
  const flood = client.callTool(notify('notifications/message', { level: 'error', data: 'x' }));
  expect(textOf(await client.callTool({ name: 'well', arguments: {} }))).toBe('well {}');
  await flood;
  expect(heard).toBeGreaterThanOrEqual(10);
  expect(heard).toBeLessThan(FLOOD / 100);
  expect(dropped(kit)).toBe(FLOOD - heard);
  expect(kit.logs.filter((line) => line.includes('more than 1 notifications a second'))).toHaveLength(1);
  expect(textOf(await client.callTool({ name: 'echo', arguments: {} }))).toBe('echo {}');
});

test('passes on the latest progress of a call', async () => {
  await using kit = await GatewayKit.start([loud]);
  const client = await kit.client();
  const heard: number[] = [];
  client.setNotificationHandler('notifications/progress', ({ params }) => void heard.push(params.progress));
  const call = notify('notifications/progress', {}, { holds: true });
  client.callTool({ ...call, _meta: { progressToken: 'mine' } }).catch(() => undefined /* never answered */);
  await eventually(() => heard.at(-1) === FLOOD);
  expect(heard.length).toBeLessThan(FLOOD / 100);
  expect(heard).toEqual(heard.toSorted((one, other) => one - other));
  expect(dropped(kit)).toBe(FLOOD - heard.length);
});

test('merges updates of a watched resource, and drops those of others', async () => {
  await using kit = await GatewayKit.start([loud]);
  const client = await kit.client();
  let heard = 0;
  client.setNotificationHandler('notifications/resources/updated', () => void heard++);
  await client.subscribeResource({ uri: 'note://one' });
  await client.callTool(notify('notifications/resources/updated', { uri: 'note://two' }));
  expect([heard, dropped(kit)]).toEqual([0, 0]);
  await client.callTool(notify('notifications/resources/updated', { uri: 'note://one' }));
  await eventually(() => heard + dropped(kit) === FLOOD);
  expect(heard).toBeLessThan(FLOOD / 100);
});

test('merges changes of a list, and serves the latest', async () => {
  const changed = { ...script, changedTools: [tool('flood'), tool('fresh')] };
  await using kit = await GatewayKit.start([
    scripted('loud', { ...changed, tools: [...script.tools, tool('change')] }, { notificationsPerSecond: 1 }),
  ]);
  const client = await kit.client();
  await client.callTool({ name: 'flood', arguments: {} });
  expect(dropped(kit)).toBeGreaterThan(FLOOD * 0.99);
  await client.callTool({ name: 'change', arguments: {} });
  await eventually(async () => (await client.listTools()).tools.some(({ name }) => name === 'fresh'));
});
