import { strict as assert } from 'node:assert';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { startDaemon } from '../../kit/daemon.ts';
import { freePort } from '../../kit/free-port.ts';
import { type Agent, startAgent } from '../agent.ts';
import type { AgentCli } from '../clis/agent-cli.ts';
import { writeHttpEntry } from '../http-entries.ts';
import type { Checks } from './checks.ts';

/** Each client over HTTP with a workspace key: it has the name that it says, and reads what another one wrote. */
export async function checkHttp(checks: Checks, clis: readonly AgentCli[]): Promise<void> {
  const port = await freePort();
  await using daemon = await startDaemon({
    env: {
      RELAY_MCP_HTTP_ENABLED: 'true',
      RELAY_MCP_HTTP_PORT: String(port),
      RELAY_MCP_API_KEY: 'of the door',
    },
  });
  const { key } = JSON.parse((await daemon.cli(['workspace', 'key', 'create', '--json'])).stdout);
  const url = `http://127.0.0.1:${port}/mcp?tools=relay`;
  await using agents = new AsyncDisposableStack();
  const connected: Agent[] = [];
  for (const cli of clis) {
    await checks.run(`${cli.title} connects over HTTP with a key, under its name`, async () => {
      const directory = join(daemon.directory, 'http', cli.id);
      await mkdir(directory, { recursive: true });
      const project = await realpath(directory);
      const headers = { Authorization: `Bearer ${key}`, 'X-Relay-Agent': cli.title };
      await writeHttpEntry(cli.id, project, { url, headers });
      const agent = agents.use(await startAgent(cli, join(daemon.directory, 'http-homes'), project));
      const { results } = await agent.ask(['use relay_status {}']);
      assert.match(results[0] ?? '', new RegExp(`\\b${cli.title}\\b`));
      connected.push(agent);
    });
  }
  for (const [index, reader] of connected.entries()) {
    const writer = connected.at(index - 1);
    if (!writer || writer === reader) continue;
    const [from, to] = [writer.cli.title, reader.cli.title];
    await checks.run(`${to} reads over HTTP what ${from} wrote`, async () => {
      const message = `A word from ${from}, number ${index}.`;
      await writer.ask([`use relay_send ${JSON.stringify({ to, message })}`]);
      const { results } = await reader.ask(['use relay_inbox {}']);
      assert.ok(results[0]?.includes(message), results[0]);
    });
  }
}
