import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DaemonOptions, startDaemon, type TestDaemon } from './daemon.ts';

interface Options extends Omit<DaemonOptions, 'settings'> {
  settings?: { mcp?: object; [setting: string]: unknown };
}

/** A daemon with MCP servers, which are listed in `file`. */
export async function startDaemonWithServers(
  servers: unknown[],
  { settings: { mcp = {}, ...settings } = {}, ...options }: Options = {},
): Promise<TestDaemon & { file: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'servers-'));
  const file = join(directory, 'servers.json');
  await writeFile(file, JSON.stringify({ servers }));
  const daemon = await startDaemon({
    ...options,
    settings: { ...settings, mcp: { servers: [file], ...mcp } },
  });
  const end = daemon[Symbol.asyncDispose];
  return Object.assign(daemon, {
    file,
    async [Symbol.asyncDispose]() {
      await end();
      await rm(directory, { recursive: true, force: true });
    },
  });
}
