/**
 * An MCP server made with the official SDK, for both protocol eras. Run on stdio as: node sdk-server.ts.
 * It asks its client for things in both ways: in the middle of a call, and by "input required".
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const name = z.object({ name: z.string() });
const nothing = z.object({});
const question = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const } },
  required: ['name'],
};

function buildServer(): McpServer {
  const server = new McpServer(
    { name: 'sdk-server', version: '1' },
    { capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } } },
  );
  let count = 0;
  const watched = new Set<string>();
  server.registerTool(
    'count',
    { description: 'Counts calls of this connection', inputSchema: nothing },
    async () => text(String(++count)),
  );
  server.registerTool('greet', { description: 'Greets', inputSchema: name }, async ({ name }) => ({
    ...text(`Hello ${name}`),
    structuredContent: { greeting: `Hello ${name}` },
  }));
  server.registerTool(
    'steps',
    { description: 'Reports progress', inputSchema: z.object({ count: z.number() }) },
    async ({ count }, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      for (let step = 1; step <= count && progressToken !== undefined; step++) {
        await ctx.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: step, total: count },
        });
      }
      return text('done');
    },
  );
  server.registerTool(
    'ask',
    { description: 'Asks by input required', inputSchema: nothing },
    async (_args, ctx) => {
      const answer = acceptedContent(ctx.mcpReq.inputResponses, 'who', name);
      if (answer) return text(`You are ${answer.name}`);
      return inputRequired({
        inputRequests: { who: inputRequired.elicit({ message: 'Who?', requestedSchema: question }) },
      });
    },
  );
  server.registerTool(
    'push_ask',
    { description: 'Asks in the middle of the call', inputSchema: nothing },
    async (_args, ctx) => {
      const answer = await ctx.mcpReq.elicitInput({ message: 'Who?', requestedSchema: question });
      return text(`${answer.action} ${JSON.stringify(answer.content)}`);
    },
  );
  server.registerTool(
    'sample',
    { description: 'Asks the model', inputSchema: nothing },
    async (_args, ctx) => {
      const answer = await ctx.mcpReq.requestSampling({
        messages: [{ role: 'user', content: { type: 'text', text: 'Capital?' } }],
        maxTokens: 5,
      });
      return text(JSON.stringify(answer.content));
    },
  );
  server.registerTool('log', { description: 'Logs a line', inputSchema: nothing }, async (_args, ctx) => {
    await ctx.mcpReq.log('warning', 'careful');
    return text('logged');
  });
  server.registerTool('touch', { description: 'Changes the resource', inputSchema: nothing }, async () => {
    await server.server.sendResourceUpdated({ uri: 'note://one' });
    return text('touched');
  });
  server.registerTool('watched', { description: 'Tells what is watched', inputSchema: nothing }, async () =>
    text([...watched].join()),
  );
  server.registerTool('grow', { description: 'Adds a tool', inputSchema: nothing }, async () => {
    server.registerTool(`grown_${++count}`, { description: 'New', inputSchema: nothing }, async () =>
      text('new'),
    );
    return text('grown');
  });
  server.registerPrompt(
    'write',
    {
      description: 'Writes',
      argsSchema: z.object({
        topic: completable(z.string(), (typed) => ['tea', 'tools'].filter((word) => word.startsWith(typed))),
      }),
    },
    ({ topic }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Write about ${topic}` } }],
    }),
  );
  server.registerResource('one', 'note://one', { description: 'A note' }, async (uri) => ({
    contents: [{ uri: uri.href, text: 'first' }],
  }));
  server.registerResource(
    'any',
    new ResourceTemplate('item://{id}', { list: undefined, complete: { id: () => ['7', '8'] } }),
    { description: 'Items' },
    async (uri, { id }) => ({ contents: [{ uri: uri.href, text: `item ${String(id)}` }] }),
  );
  server.server.setRequestHandler('resources/subscribe', async ({ params }) => {
    watched.add(params.uri);
    return {};
  });
  server.server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    watched.delete(params.uri);
    return {};
  });
  return server;
}

export interface HttpBackend extends AsyncDisposable {
  url: string;
  /** Headers of every request that came. */
  requests: Array<Record<string, unknown>>;
  /** Forgets all sessions, as a restart does. */
  forget(): void;
}

/** The same server over Streamable HTTP: the newest revision, or sessions of the older ones. */
export async function startHttpServer(era: 'modern' | 'legacy', port = 0): Promise<HttpBackend> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const requests: HttpBackend['requests'] = [];
  const modern = toNodeHandler(createMcpHandler(() => buildServer(), { legacy: 'reject' }));
  const http = createServer(async (request, response) => {
    requests.push(request.headers);
    if (era === 'modern') return modern(request as Parameters<typeof modern>[0], response);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known) return known.handleRequest(request, response);
    if (id !== undefined) {
      response
        .writeHead(404)
        .end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
      return;
    }
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await buildServer().connect(transport);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    requests,
    forget: () => sessions.clear(),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

export const SDK_SERVER = fileURLToPath(import.meta.url);
if (process.argv[1] === SDK_SERVER) {
  if (process.argv[2] === 'modern') serveStdio(() => buildServer(), { legacy: 'reject' });
  else if (process.argv[2] === 'legacy') {
    const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
    await buildServer().connect(new StdioServerTransport());
  } else serveStdio(() => buildServer());
}
