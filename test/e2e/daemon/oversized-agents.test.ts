import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SQLITE } from '../../../packages/relay/src/store/dialects.ts';
import { migrate } from '../../../packages/relay/src/store/migrations/index.ts';
import { rows } from '../../../packages/relay/src/store/scripts/script.ts';
import { Database } from '../../../packages/relay/src/store/sqlite/database.ts';
import { type Sandbox, startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { connectToWebSocket } from '../../kit/raw-client.ts';
import { output } from '../../kit/results.ts';
import { client } from '../messaging/commands.ts';

/** Much less than the tools of all agents take. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=64' };
const AGENTS = 120;
const NEARLY_A_FRAME = 950_000;
const NEARLY_ALLOWED = 500_000;

const toolsOf = (bytes: number) =>
  Array.from({ length: Math.floor(bytes / 4000) }, (_, number) => ({
    name: `tool-${number}`,
    description: 'x'.repeat(3900),
    inputSchema: {},
  }));

/** A database of the version before there were limits, with `count` agents whose tools have so many bytes. */
function oldDatabase({ dataDirectory, projectDirectory }: Sandbox, count: number, bytes: number): void {
  const path = join(dataDirectory, 'relay.db');
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  const database = Database.forWriting(path);
  database.transaction(() => {
    database.run(migrate(SQLITE, 3));
    database.run(
      rows(
        "INSERT INTO workspaces (name, former_names, directory, root, created_at) VALUES ('demo', '[]', 'demo', ?, 1)",
        [projectDirectory],
      ),
    );
    const tools = JSON.stringify(toolsOf(bytes));
    for (let number = 0; number < count; number++) {
      const name = `agent-${number}x`;
      database.run(
        rows(
          `INSERT INTO agents (workspace_id, name, skeleton, type, is_lead, ephemeral, capabilities, tools, mcp_enabled,
             token_hash, created_at, last_seen_at)
           VALUES (1, ?, ?, 'agent', 0, 0, '[]', ?, 0, ?, 1, 1)`,
          [name, name, tools, name],
        ),
      );
    }
  });
  database.close();
}

async function whoAll(daemon: TestDaemon): Promise<string[]> {
  const listed = JSON.parse(output(await daemon.cli(['who', '--all', '--json']))) as Array<{ name: string }>;
  return listed.map(({ name }) => name);
}

describe.each([
  ['more than anybody may have', NEARLY_A_FRAME],
  ['as much as they may', NEARLY_ALLOWED],
])('a database with many agents whose tools take %s', (_, bytes) => {
  it('starts, lists and serves them with little memory', async () => {
    await using daemon = await startDaemon({ env: HEAP });
    await daemon.stop();
    oldDatabase(daemon, AGENTS, bytes);
    await daemon.start();
    expect(await whoAll(daemon)).toHaveLength(AGENTS);
    await using alice = await client(daemon, { name: 'alice' });
    expect(await alice.discover()).toEqual([]);
    expect(await alice.tools('agent-99x')).toHaveLength(bytes === NEARLY_ALLOWED ? 125 : 0);
    await alice.send('agent-7x', 'are you there?');
    const file = join(daemon.directory, 'demo.jsonl');
    expect((await daemon.cli(['export', file])).code).toBe(0);
    await daemon.stop();
    await daemon.start();
    expect(await whoAll(daemon)).toHaveLength(AGENTS + 1);
  });
});

describe('a key', () => {
  it('cannot fill the daemon with agents and their tools', async () => {
    await using daemon = await startDaemon({ env: HEAP, settings: { quotas: { agentsPerKey: 10 } } });
    const created = JSON.parse(output(await daemon.cli(['workspace', 'key', 'create', '--json'])));
    const register = async (number: number, bytes: number) => {
      using remote = await connectToWebSocket(`ws://${daemon.http}/ws`);
      return await remote
        .hello({
          workspaceKey: created.key,
          name: `remote-${number}x`,
          paths: [],
          tools: toolsOf(bytes),
        })
        .then(
          () => 'registered',
          ({ code, details }) => `${code} ${details.setting} ${details.limit}`,
        );
    };
    expect(await register(0, NEARLY_A_FRAME)).toBe('LimitReached quotas.toolsBytes 524288');
    const outcomes: string[] = [];
    for (let number = 0; number < 20; number++) outcomes.push(await register(number, NEARLY_ALLOWED));
    expect(outcomes.slice(0, 10)).toEqual(Array(10).fill('registered'));
    expect(outcomes.slice(10)).toEqual(Array(10).fill('LimitReached quotas.agentsPerKey 10'));
    expect(await whoAll(daemon)).toHaveLength(10);
    await daemon.stop();
    await daemon.start();
    expect(await whoAll(daemon)).toHaveLength(10);
    expect(await register(20, 100)).toBe('LimitReached quotas.agentsPerKey 10');
  });
});
