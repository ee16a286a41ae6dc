import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createSandbox, type Sandbox } from '../../kit/daemon.ts';
import { freePort } from '../../kit/free-port.ts';
import { type ClientSettings, connectClient, type TestClient } from '../../mcp/kit/clients.ts';
import { type HttpClientOptions, httpTransport } from '../../mcp/kit/http-door.ts';

/** A daemon in the background with MCP servers for all agents, and its MCP door. */
export interface PooledDaemon extends Sandbox {
  /** Where MCP is served. */
  url: string;
  /** The file that lists the servers. */
  file: string;
  configure(servers: unknown[]): Promise<void>;
  /** A client that asks for the toolset `gateway`, unless told otherwise. */
  client(options?: HttpClientOptions & ClientSettings): Promise<TestClient>;
  /** The lines that a scripted server wrote down. */
  journal(name: string): Promise<string[]>;
  pathOf(name: string): string;
  pid(): Promise<number>;
  /** Starts the daemon again, where it was. */
  restart(): Promise<void>;
}

/** Starts a daemon with the servers that `list` makes, given where their files may be. */
export async function startPool(
  list: (pathOf: (name: string) => string) => unknown[],
  env: NodeJS.ProcessEnv = {},
): Promise<PooledDaemon> {
  const sandbox = await createSandbox({ env });
  const pathOf = (name: string) => join(sandbox.directory, name);
  const file = join(sandbox.projectDirectory, 'mcp-servers.json');
  const configure = (servers: unknown[]) => writeFile(file, JSON.stringify({ servers }, null, 2));
  await configure(list(pathOf));
  const port = String(await freePort());
  const start = () =>
    sandbox.cli(['daemon', 'start', '--mcp-http', port, '--mcp-servers', 'mcp-servers.json']);
  const { stdout, stderr } = await start();
  const url = /mcp +(http:\S+)/.exec(stdout)?.[1] ?? expect.unreachable(stderr);
  return {
    ...sandbox,
    url,
    file,
    configure,
    pathOf,
    client: ({ era, name, options, ...http } = {}) =>
      connectClient(httpTransport({ url }, { tools: 'gateway', ...http }), {
        ...(era && { era }),
        ...(name && { name }),
        ...(options && { options }),
      }),
    async journal(name) {
      const content = await readFile(pathOf(name), 'utf8').catch(() => '');
      return content.split('\n').filter((line) => line !== '');
    },
    async restart() {
      expect(await start()).toMatchObject({ code: 0 });
    },
    async pid() {
      return JSON.parse((await sandbox.cli(['daemon', 'status', '--json'])).stdout).pid;
    },
  };
}
