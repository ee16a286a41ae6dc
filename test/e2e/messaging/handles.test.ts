import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { json, output } from '../../kit/results.ts';
import { client, known } from './commands.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
  await known(daemon, 'Alice');
  await using _planner = await client(daemon, { name: 'BuildPlanner', handle: '@bp' });
});
afterAll(() => daemon[Symbol.asyncDispose]());

it('accepts a handle, or a name with @, wherever a command takes the name of an agent', async () => {
  const send = await daemon.cli(['send', '@bp', 'Plan the build of Tuesday', '--as', '@alice']);
  expect(send).toMatchObject({ code: 0, stderr: '' });
  const inbox = json(await daemon.cli(['inbox', '--as', '@BP', '--from', '@Alice', '--json']));
  expect(inbox.messages).toMatchObject([{ from: 'Alice', to: 'BuildPlanner' }]);
  expect(output(await daemon.cli(['who', '--all']))).toMatch(/^BuildPlanner @bp /m);
  await daemon.cli(['agent', 'set', '@bp', '--lead']);
  const agents = json(await daemon.cli(['who', '--all', '--json']));
  expect(agents).toContainEqual(expect.objectContaining({ name: 'BuildPlanner', handle: 'bp', lead: true }));
});

it('follows the messages of an agent by its handle', async () => {
  await using following = daemon.startCli(['inbox', '-f', '--as', 'Alice', '--from', '@bp']);
  await using planner = await client(daemon, { name: 'bp' });
  expect(planner.name).toBe('BuildPlanner');
  await planner.send('Alice', 'The build of Tuesday is planned');
  await following.until(/The build of Tuesday is planned/);
});

it('manages an agent by its handle, or its name with @', async () => {
  const manage = async (...args: string[]) => output(await daemon.cli(['agent', ...args]));
  await using _tester = await client(daemon, { name: 'Tester', handle: '@qa' });
  expect(await manage('token', '@qa')).toMatch(/^Replaced the token of Tester\./);
  expect(await manage('set', '@qa', '--lead')).toBe('Tester: agent, lead.\n');
  expect(await manage('rename', '@qa', '@Checker')).toBe('Renamed Tester to Checker.\n');
  expect(output(await daemon.cli(['inbox', '--as', '@Checker']))).toBe('No messages in inbox.\n');
  expect(await manage('remove', '@checker')).toBe('Removed Checker.\n');
  expect(output(await daemon.cli(['who', '--all']))).not.toMatch(/Tester|Checker/);
  // Its token is gone with it: the name is free.
  expect(output(await daemon.cli(['inbox', '--as', 'Checker']))).toBe('No messages in inbox.\n');
});
