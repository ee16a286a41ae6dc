import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface WebSocketBackend extends AsyncDisposable {
  url: string;
  /** The path, headers and subprotocol of each connection that was made. */
  connections: Array<{ path: string | undefined; headers: IncomingHttpHeaders; protocol: string }>;
  sockets: Set<WebSocket>;
}

export interface WebSocketServerOptions {
  port?: number;
  /** Nothing is answered before this. */
  ready?: Promise<void>;
}

/** A small MCP server over WebSocket that echoes calls. */
export async function startWebSocketServer(
  tools: unknown[],
  { port = 0, ready = Promise.resolve() }: WebSocketServerOptions = {},
): Promise<WebSocketBackend> {
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await once(server, 'listening');
  const connections: WebSocketBackend['connections'] = [];
  server.on('connection', (socket, request) => {
    connections.push({ path: request.url, headers: request.headers, protocol: socket.protocol });
    socket.on('message', async (data) => {
      await ready;
      const { id, method, params } = JSON.parse(String(data)) as {
        id?: number;
        method: string;
        params?: Record<string, unknown>;
      };
      if (id === undefined) return;
      const reply = (body: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...body }, null, 1));
      if (method === 'initialize') {
        reply({
          result: {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'ws', version: '1' },
          },
        });
      } else if (method === 'tools/list') reply({ result: { tools } });
      else if (method === 'tools/call') {
        reply({
          result: {
            content: [{ type: 'text', text: `${params?.name} ${JSON.stringify(params?.arguments)}` }],
          },
        });
      } else reply({ error: { code: -32601, message: 'Method not found' } });
    });
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    sockets: server.clients,
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
