import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { connect as connectTo } from '@agent-relay/sdk/node';
import { describe, expect, it } from 'vitest';
import { PROGRAM } from '../../kit/cli.ts';
import { createSandbox, type Sandbox } from '../../kit/daemon.ts';

/** Opens silent connections; refused ones count too. */
async function idlers(address: string, count: number): Promise<Socket[] & Disposable> {
  const { hostname, port } = new URL(address);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  return Object.assign(sockets, {
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
    },
  });
}

const answer = (url: string): Promise<number | string> =>
  fetch(url, { headers: { Connection: 'close' }, signal: AbortSignal.timeout(5000) }).then(
    ({ status }) => status,
    () => 'none',
  );

async function addresses(sandbox: Sandbox): Promise<{ health: string; mcpHealth: string; ws: string }> {
  const { http, mcp } = JSON.parse((await sandbox.cli(['status', '--json'])).stdout);
  return { health: `${http}/health`, mcpHealth: `${mcp}/health`, ws: `${http.replace('http', 'ws')}/ws` };
}

describe('more connections than an HTTP port accepts', () => {
  it('do not affect the local socket, and the port accepts others when they end', async () => {
    await using sandbox = await createSandbox({
      settings: {
        http: { maxConnections: 10 },
        mcp: { http: true, port: 0, maxConnections: 10 },
        // None is given up during the test.
        limits: { headersTimeoutMs: 60_000 },
      },
    });
    await sandbox.cli(['daemon', 'start']);
    const { health, mcpHealth, ws } = await addresses(sandbox);
    const created = await sandbox.cli(['workspace', 'create', 'lab', '--json']);
    const { key: workspaceKey } = JSON.parse(created.stdout);
    {
      // A WebSocket counts as well.
      await using _remote = await connectTo({ url: ws, workspaceKey, env: {} });
      using _http = await idlers(health, 9);
      using _mcp = await idlers(mcpHealth, 10);
      for (const url of [health, mcpHealth]) expect(await answer(url)).toBe('none');
      expect(
        await sandbox.cli(['send', '*', 'still here', '--as', 'Alice', '--project', 'demo']),
      ).toMatchObject({ code: 0 });
    }
    for (const url of [health, mcpHealth]) await expect.poll(() => answer(url)).toBe(200);
  });

  it('are closed after a while if they send nothing', async () => {
    await using sandbox = await createSandbox({
      settings: { http: { maxConnections: 10 }, limits: { headersTimeoutMs: 200 } },
    });
    await sandbox.cli(['daemon', 'start']);
    const { health } = await addresses(sandbox);
    using sockets = await idlers(health, 10);
    await Promise.all(sockets.map((socket) => socket.resume().closed || once(socket, 'close')));
    expect(await answer(health)).toBe(200);
  });

  it('never use up the files that the daemon may open, whatever the settings say', async () => {
    await using sandbox = await createSandbox({
      settings: {
        http: { maxConnections: 1_000_000 },
        mcp: { http: true, port: 0, maxConnections: 1_000_000 },
        limits: { headersTimeoutMs: 60_000 },
      },
    });
    const words = ['-c', 'ulimit -n 256 && exec "$0" "$@"', process.execPath, PROGRAM, 'daemon', 'start'];
    await promisify(execFile)('sh', words, { env: sandbox.env, cwd: sandbox.projectDirectory });
    const { health, mcpHealth } = await addresses(sandbox);
    using _http = await idlers(health, 200);
    using _mcp = await idlers(mcpHealth, 200);
    expect(
      await sandbox.cli(['send', '*', 'still here', '--as', 'Alice', '--project', 'demo']),
    ).toMatchObject({ code: 0 });
    expect(await sandbox.cli(['history', '--project', 'demo'])).toMatchObject({
      stdout: expect.stringContaining('still here'),
    });
  });
});
