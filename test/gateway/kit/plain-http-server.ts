import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a plain server answers to a request: a result, nothing ever, or that it does not know the method. */
type Answer = object | 'never' | undefined;

/** A server of an older revision over HTTP, without a library: `answer` says what it answers, by method and path. */
export async function startPlainHttpServer(
  answer: (method: string, path: string) => Answer,
): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method = '' } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as {
      id?: number;
      method?: string;
    };
    if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const result = method === 'initialize' ? WELCOME : answer(method, request.url ?? '');
    if (result === 'never') return;
    const body = result ? { result } : { error: { code: -32601, message: 'no' } };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const WELCOME = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'plain', version: '1' },
};
