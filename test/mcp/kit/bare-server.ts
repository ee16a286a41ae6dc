import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/** The smallest useful server of the SDK, as its guide shows it: what ours is measured against. */
serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const input = z.object({ text: z.string(), count: z.number().optional() });
    server.registerTool(name, { description: `Echo ${name}`, inputSchema: input }, ({ text }) => ({
      content: [{ type: 'text', text }],
    }));
  }
  return server;
});
