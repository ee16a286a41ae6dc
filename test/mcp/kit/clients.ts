import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const MCP_PROGRAM = fileURLToPath(
  new URL('../../../packages/mcp/bin/agent-relay-mcp.js', import.meta.url),
);

/** Both eras of the protocol, as a client asks for them. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
type Era = (typeof ERAS)[number];

/** A real MCP client; disposing of it closes its connection. */
export type TestClient = Client & AsyncDisposable;

export interface ClientSettings {
  era?: Era;
  /** What the program calls itself. */
  name?: string;
  options?: ClientOptions;
}

export async function connectClient(
  transport: Transport,
  settings: ClientSettings = {},
): Promise<TestClient> {
  const { era = '2025-11-25', name = 'test-client', options } = settings;
  const mode = era === '2026-07-28' ? { pin: era } : 'legacy';
  const client = new Client({ name, version: '1.0.0' }, { ...options, versionNegotiation: { mode } });
  await client.connect(transport);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** A client with a server process of its own, in the environment of a sandbox. */
export function connectStdio(
  sandbox: { env: NodeJS.ProcessEnv; projectDirectory: string },
  {
    args = ['serve'],
    env = {},
    ...settings
  }: ClientSettings & { args?: string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<TestClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MCP_PROGRAM, ...args],
    env: { ...sandbox.env, ...env } as Record<string, string>,
    cwd: sandbox.projectDirectory,
    stderr: 'inherit',
  });
  return connectClient(transport, settings);
}

export interface ToolReply {
  /** The text blocks, one entry each. */
  texts: string[];
  data: Record<string, unknown>;
  isError: boolean;
}

/** Calls a tool and returns what a model and a program would see of its result. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  options: Parameters<Client['callTool']>[1] = {},
): Promise<ToolReply> {
  const {
    content,
    structuredContent,
    isError = false,
  } = await client.callTool({ name, arguments: args }, options);
  const texts = content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`));
  return { texts, data: (structuredContent ?? {}) as Record<string, unknown>, isError };
}
