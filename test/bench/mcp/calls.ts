import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { connect } from '@agent-relay/sdk/node';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { startDaemon, UNGOVERNED } from '../../kit/daemon.ts';
import { connectClient, connectStdio } from '../../mcp/kit/clients.ts';
import { httpTransport, openDoor } from '../../mcp/kit/http-door.ts';
import { measureLatency } from '../latency.ts';
import { Pair, sampleBody } from '../pairs.ts';
import { median, percentile } from '../statistics.ts';
import { bareServer } from './bare-server.ts';

export interface CallFigure {
  what: string;
  /** Median milliseconds. */
  measured: number;
  baseline: number;
  goal: number;
  p99: number;
}

const era = '2026-07-28';
export const BARE_SERVER = fileURLToPath(new URL('bare-stdio-server.ts', import.meta.url));

/** How long `relay_send` takes through each door, beside an echo through the same transport plus the relay's own time. */
export async function measureCalls(rounds: number, calls: number): Promise<CallFigure[]> {
  await using daemon = await startDaemon({ settings: UNGOVERNED });
  await using door = await openDoor(daemon, { requestsPerMinute: 10_000_000 });
  const echo = toNodeHandler(createMcpHandler(bareServer));
  const http = createServer(
    (request, response) => void echo(request as Parameters<typeof echo>[0], response),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const bareUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const bareProcess = new StdioClientTransport({ command: process.execPath, args: [BARE_SERVER] });
  const pair = await Pair.connect(daemon.socketPath, 'bench');
  await using taker = await connect({ socketPath: daemon.socketPath, env: daemon.env, name: 'taker' });
  taker.on('message', () => undefined);
  await using stdioEcho = await connectClient(bareProcess, { era });
  await using httpEcho = await connectClient(httpTransport({ url: bareUrl }), { era });
  await using stdio = await connectStdio(daemon, { era, env: { RELAY_AGENT_NAME: 'stdio-bench' } });
  await using overHttp = await connectClient(httpTransport(door, { agent: 'http-bench', tools: 'relay' }), {
    era,
  });
  const times: Record<'relay' | 'stdioEcho' | 'httpEcho' | 'stdio' | 'http', number[]> = {
    relay: [],
    stdioEcho: [],
    httpEcho: [],
    stdio: [],
    http: [],
  };
  // The first round warms everything up and is not counted.
  for (let round = 0; round <= rounds; round++) {
    const measured = {
      relay: await measureLatency(pair, calls),
      stdioEcho: await timeCalls(stdioEcho, 'echo', calls),
      httpEcho: await timeCalls(httpEcho, 'echo', calls),
      stdio: await timeCalls(stdio, 'relay_send', calls),
      http: await timeCalls(overHttp, 'relay_send', calls),
    };
    if (round === 0) continue;
    for (const [name, values] of Object.entries(measured)) times[name as keyof typeof times].push(...values);
  }
  pair.close();
  http.closeAllConnections();
  http.close();
  const relay = median(times.relay);
  const figure = (what: string, own: number[], echo: number[], goal: number): CallFigure => ({
    what,
    measured: median(own),
    baseline: median(echo) + relay,
    goal,
    p99: percentile(own, 0.99),
  });
  return [
    figure('P4 relay_send over stdio', times.stdio, times.stdioEcho, 1.5),
    figure('P4 relay_send over HTTP', times.http, times.httpEcho, 1.3),
  ];
}

async function timeCalls(client: Client, name: string, count: number): Promise<number[]> {
  const times: number[] = [];
  const args = { to: 'taker', message: sampleBody() };
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    const { isError } = await client.callTool({ name, arguments: args });
    if (isError) throw new Error(`${name} failed`);
    times.push(performance.now() - startedAt);
  }
  return times;
}
