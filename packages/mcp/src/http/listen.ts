import { type DoorsOptions, openDoors, requireKeyBeyondLoopback } from '@agent-relay/platform/http';
import { createMcpDoor } from './create.ts';
import { DEFAULT_PATHS, type McpHttpOptions } from './options.ts';

export interface ListenOptions extends McpHttpOptions, Omit<DoorsOptions, 'settings' | 'allowedOrigins'> {}

export interface ListeningMcp {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves MCP on its own port. On addresses other than loopback it needs a key. */
export async function listenForMcp(options: ListenOptions): Promise<ListeningMcp> {
  requireKeyBeyondLoopback(options.host, options.apiKey);
  const mcp = createMcpDoor(options);
  const opened = await openDoors([mcp], { ...options, settings: 'mcp' }).catch(async (error) => {
    await mcp.close();
    throw error;
  });
  return {
    port: opened.port,
    url: `${opened.url}${options.paths?.mcp ?? DEFAULT_PATHS.mcp}`,
    async close() {
      await mcp.close();
      opened.close();
    },
  };
}
