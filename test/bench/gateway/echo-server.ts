/** The backend of the gateway benchmark, made with the official SDK. Run as: node echo-server.ts stdio|http [port]. */
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const input = z.object({ text: z.string() });

function build(): McpServer {
  const server = new McpServer({ name: 'echo', version: '1' });
  server.registerTool('echo', { description: 'Echoes', inputSchema: input }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
}

if (process.argv[2] === 'stdio') await build().connect(new StdioServerTransport());
else {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? sessions.get(id) : undefined;
    if (!transport) {
      const created: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, created),
      });
      await build().connect(created);
      transport = created;
    }
    await transport.handleRequest(request, response);
  }).listen(Number(process.argv[3]), '127.0.0.1');
}
