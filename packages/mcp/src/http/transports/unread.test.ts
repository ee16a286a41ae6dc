import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endIfUnread } from './unread.ts';

const UNREAD_MS = 50;

let server: Server;
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A response as its server has it, and as a client that does not read it yet. */
async function exchange(): Promise<{ response: ServerResponse; client: IncomingMessage }> {
  const served = once(server, 'request');
  const asked = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  asked.on('error', () => undefined);
  const [, response] = (await served) as [IncomingMessage, ServerResponse];
  endIfUnread(response, UNREAD_MS);
  response.flushHeaders();
  const [client] = (await once(asked, 'response')) as [IncomingMessage];
  return { response, client };
}

it('closes a response that its client does not read', async () => {
  const { response } = await exchange();
  // Until the system takes no more.
  const fill = () => {
    while (response.write(Buffer.alloc(64 * 1024)));
  };
  response.on('drain', fill);
  fill();
  await once(response, 'close');
  expect(response.writableFinished).toBe(false);
});

it('keeps a response that is idle, and one that is being read', async () => {
  const { response, client } = await exchange();
  await once(response, 'timeout');
  let received = 0;
  client.on('data', ({ length }: Buffer) => {
    received += length;
  });
  response.end(Buffer.alloc(8 * 1024 * 1024));
  await once(client, 'end');
  expect(received).toBe(8 * 1024 * 1024);
});
