import { Agent, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { listenForMcp } from '@agent-relay/mcp';
import { expect, it } from 'vitest';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'flood', version: '1' } },
});

let accounts = 0;

it('keeps its memory flat when 10,000 sessions are opened and dropped', async () => {
  const door = await listenForMcp({
    host: '127.0.0.1',
    port: 0,
    requestsPerMinute: 1_000_000,
    // Whoever has many is slowed down, which would take long here: each is somebody else's.
    accountOf: () => String(++accounts),
    isKeyValid: async () => true,
    connect: () => Promise.reject(new Error('A handshake alone does not reach the relay.')),
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const open = () =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
      const outgoing = request(door.url, { agent, method: 'POST', headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      outgoing.on('error', reject);
      outgoing.end(initialize);
    });
  /** Opens sessions in batches and returns the megabytes in use afterwards. */
  const flood = async (count: number) => {
    for (let opened = 0; opened < count; opened += 100) {
      const statuses = await Promise.all(Array.from({ length: 100 }, open));
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    collectGarbage();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  try {
    const early = await flood(2000);
    const late = await flood(8000);
    expect(late - early).toBeLessThan(10);
    const health = await (await fetch(`${door.url}/health`)).json();
    expect(health).toMatchObject({ clients: 1000 });
  } finally {
    agent.destroy();
    await door.close();
  }
}, 120_000);
