import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const input = z.object({ to: z.string(), message: z.string() });

/** The smallest useful server of the SDK, as its guide shows it: what ours is measured against. */
export function bareServer(): McpServer {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  for (const name of ['echo', 'b', 'c', 'd', 'e', 'f']) {
    server.registerTool(name, { description: `Echo ${name}`, inputSchema: input }, ({ message }) => ({
      content: [{ type: 'text', text: message }],
    }));
  }
  return server;
}
