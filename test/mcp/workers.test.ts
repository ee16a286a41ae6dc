import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { notesIn, SCRIPTED_CLI } from '../kit/scripted-cli.ts';
import { callTool, connectStdio } from './kit/clients.ts';

let daemon: TestDaemon;
let log: string;
beforeAll(async () => {
  daemon = await startDaemon({ settings: { clis: SCRIPTED_CLI } });
  log = join(daemon.directory, 'notes');
});
afterAll(() => daemon[Symbol.asyncDispose]());
afterEach(async () => void (await daemon.cli(['release', '--all'])));

const serve = (tools: string, env: NodeJS.ProcessEnv = {}) =>
  connectStdio(daemon, {
    args: ['serve', '--tools', tools],
    env: { RELAY_AGENT_NAME: 'Boss', SCRIPTED_LOG: log, ...env },
  });

describe('workers by tools', () => {
  it('relay: are spawned with the environment of the session, listed and released', async () => {
    await using lead = await serve('relay');
    const args = { name: 'Tester', cli: 'scripted', task: 'Run the tests' };
    const spawned = await callTool(lead, 'relay_spawn', args);
    expect(spawned.texts).toEqual(['Worker "Tester" spawned successfully. It will message you when ready.']);
    expect(spawned.data).toMatchObject({ name: 'Tester', status: 'ready' });
    expect((await notesIn(log)).at(1)?.turn).toMatch(
      /from the agent you work for, directive\n\| Run the tests$/,
    );
    const { texts } = await callTool(lead, 'relay_who');
    expect(texts[0]).toMatch(/^- Tester \(scripted\) - (active|idle) \[worker of: Boss\]$/m);
    expect((await callTool(lead, 'relay_spawn', args)).texts[0]).toMatch(/The agent Tester already exists/);
    const released = await callTool(lead, 'relay_release', { name: 'Tester', reason: 'done' });
    expect(released.texts).toEqual(['Worker "Tester" released.']);
  });

  it('relay: say what they wait for', async () => {
    await using lead = await serve('relay', { SCRIPTED_TRUST: '1' });
    const args = { name: 'Asked', cli: 'scripted', task: 'Hello' };
    const { texts, data } = await callTool(lead, 'relay_spawn', args, { timeout: 60_000 });
    expect(texts[1]).toBe('It is still starting: the agent is starting: Trust this folder?.');
    expect(data).toMatchObject({ status: 'spawning', reason: { code: 'starting' } });
  });

  it('network: answer as JSON', async () => {
    await using lead = await serve('network');
    const args = { name: 'Net', cli: 'scripted', task: 'Work' };
    const spawned = await callTool(lead, 'relay_spawn_agent', args);
    expect(spawned.texts[0]).toBe('{"success":true,"name":"Net","status":"ready"}');
    const released = await callTool(lead, 'relay_release_agent', { name: 'Net' });
    expect(released.texts[0]).toBe('{"success":true,"name":"Net"}');
  });

  it('workspace: join channels, and there is one node', async () => {
    await using lead = await serve('workspace');
    const added = await callTool(lead, 'add_agent', {
      name: 'A',
      cli: 'scripted',
      task: 'Go',
      channel: 'ops',
    });
    expect(added.data).toMatchObject({ name: 'A', status: 'ready' });
    expect((await callTool(lead, 'list_channels')).texts[0]).toContain('#ops');
    const elsewhere = await callTool(lead, 'spawn', { name: 'B', cli: 'scripted', target_node: 'moon' });
    expect(elsewhere.texts[0]).toContain('There is no node "moon"');
    const here = await callTool(lead, 'spawn', { name: 'B', cli: 'scripted', target_node: 'local' });
    expect(here.data).toMatchObject({ name: 'B', status: 'ready', node: 'local' });
    expect((await callTool(lead, 'query_nodes')).data).toMatchObject({ nodes: [{ name: 'local' }] });
    expect((await callTool(lead, 'remove_agent', { name: 'A' })).data).toMatchObject({ removed: true });
    expect((await callTool(lead, 'submit_result', { data: 1 })).texts[0]).toContain(
      'Boss does not work for another agent',
    );
  });
});
