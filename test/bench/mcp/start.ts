import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createSandbox } from '../../kit/daemon.ts';
import { MCP_PROGRAM } from '../../mcp/kit/clients.ts';
import { median } from '../statistics.ts';
import { BARE_SERVER } from './calls.ts';

const OPENING = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join('');

/** Milliseconds from the start of a server process to its list of tools: ours, and the SDK's smallest. */
export async function measureStarts(rounds: number): Promise<{ ours: number; bare: number }> {
  await using sandbox = await createSandbox();
  const start = (args: string[]) => timeStart(spawn(process.execPath, args, { env: sandbox.env }));
  const times = { ours: [] as number[], bare: [] as number[] };
  // The first round fills the compile cache and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const ours = await start([MCP_PROGRAM, 'serve']);
    const bare = await start([BARE_SERVER]);
    if (round === 0) continue;
    times.ours.push(ours);
    times.bare.push(bare);
  }
  return { ours: median(times.ours), bare: median(times.bare) };
}

async function timeStart(child: ChildProcessWithoutNullStreams): Promise<number> {
  const startedAt = performance.now();
  const ended = once(child, 'exit');
  child.stdin.write(OPENING);
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('"id":2')) break;
  }
  const time = performance.now() - startedAt;
  child.stdin.end();
  await ended;
  return time;
}
