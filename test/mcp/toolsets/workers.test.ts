import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../../e2e/messaging/commands.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { notesIn, SCRIPTED_CLI } from '../../kit/scripted-cli.ts';
import { callTool, connectClient, connectStdio } from '../kit/clients.ts';

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
    expect(texts[0]).toMatch(
      /^- Tester \(scripted\) - (active|idle) \[worker of: Boss\] \[task: Run the tests\]$/m,
    );
    expect((await callTool(lead, 'relay_spawn', args)).texts).toEqual([
      'Failed to spawn worker: The agent Tester already exists. [NameTaken] Next: Choose another name.',
    ]);
    const released = await callTool(lead, 'relay_release', { name: 'Tester', reason: 'done' });
    expect(released.texts).toEqual(['Worker "Tester" released.']);
    expect((await callTool(lead, 'relay_release', { name: 'Tester' })).texts[0]).toMatch(
      /^Failed to release worker: No agent "Tester" is known in project .*\. \[AgentNotFound\] Next: /,
    );
  });

  it('relay: report what they wait for', async () => {
    await using lead = await serve('relay', { SCRIPTED_TRUST: '1' });
    const args = { name: 'Asked', cli: 'scripted', task: 'Hello' };
    const { texts, data } = await callTool(lead, 'relay_spawn', args, { timeout: 60_000 });
    expect(texts[1]).toBe('It is not ready yet: Trust this folder?');
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

  it('workspace: join channels, on the one node', async () => {
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

/** A program called claude that notes the MCP servers it is given, and waits. */
async function noteServers(): Promise<{ directory: string; servers: () => Promise<GivenServers> }> {
  const file = join(daemon.directory, 'servers.json');
  const program = `#!${process.execPath}
const { copyFileSync, renameSync } = require('node:fs');
const given = process.argv.find((word) => word.startsWith('--mcp-config='));
if (given) {
  copyFileSync(given.slice('--mcp-config='.length), '${file}.new');
  renameSync('${file}.new', '${file}');
}
process.stdin.resume();
`;
  await writeFile(join(daemon.directory, 'claude'), program, { mode: 0o755 });
  return {
    directory: daemon.directory,
    servers: async () => JSON.parse(await readFile(file, 'utf8')).mcpServers,
  };
}

type GivenServers = Record<string, { command: string; args: string[]; env: Record<string, string> }>;

describe('the tools of a worker', () => {
  it('send its results to the agent it works for, which can wait for them', async () => {
    const { directory, servers } = await noteServers();
    await using boss = await client(daemon, { name: 'Boss' });
    const PATH = `${directory}:${process.env.PATH}`;
    await boss.workers.spawn('Kid', 'claude', { env: { ...daemon.env, PATH }, waitMs: 0 });
    await expect.poll(servers, { timeout: 20_000 }).toHaveProperty('agent-relay');
    const { command = '', args = [], env = {} } = (await servers())['agent-relay'] ?? {};
    const transport = new StdioClientTransport({
      ...{ command, args, env: { ...daemon.env, ...env } as Record<string, string> },
      cwd: daemon.projectDirectory,
    });
    await using worker = await connectClient(transport);
    const { tools } = await worker.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['relay_send', 'submit_result']));
    const result = boss.workers.awaitResult('Kid');
    const first = await callTool(worker, 'submit_result', { data: { passed: 3 }, final: false });
    expect(first.data).toMatchObject({ to: 'Boss', final: false });
    await callTool(worker, 'submit_result', { data: { passed: 412 } });
    expect(await result).toMatchObject({ result: { data: { passed: 412 }, final: true }, running: true });
    const { messages } = await boss.inbox();
    expect(messages.map(({ from, content }) => `${from}: ${content}`)).toEqual([
      'Kid: RESULT so far, as Kid says: {"passed":3}',
      'Kid: RESULT, as Kid says: {"passed":412}',
    ]);
  });
});
