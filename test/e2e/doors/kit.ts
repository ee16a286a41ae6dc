import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { PROGRAM } from '../../kit/cli.ts';
import type { Sandbox } from '../../kit/daemon.ts';
import { type ClientSettings, connectClient, type TestClient } from '../../mcp/kit/clients.ts';

export interface CommandClient {
  client: TestClient;
  pid: number;
  /** What was written for people; resolves when the command has ended. */
  saidAside: Promise<string>;
  /** Standard output that is not a message. */
  garbage: Error[];
}

/** A real MCP client in front of `agent-relay <args>`. */
export async function connectToCommand(
  sandbox: Sandbox,
  args: string[],
  { env = {}, ...settings }: ClientSettings & { env?: NodeJS.ProcessEnv } = {},
): Promise<CommandClient & AsyncDisposable> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, ...args],
    env: { ...sandbox.env, ...env } as Record<string, string>,
    cwd: sandbox.projectDirectory,
    stderr: 'pipe',
  });
  const saidAside = text(transport.stderr as Readable);
  const garbage: Error[] = [];
  const client = await connectClient(transport, settings);
  client.onerror = (error) => garbage.push(error);
  return {
    client,
    pid: transport.pid ?? 0,
    saidAside,
    garbage,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export const toolNames = async (client: TestClient): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);
