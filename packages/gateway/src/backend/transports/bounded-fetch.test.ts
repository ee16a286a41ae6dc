import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { boundedFetch } from './bounded-fetch.ts';

let server: Server;
let url: string;
let respond: (response: ServerResponse) => void;
beforeEach(async () => {
  server = createServer((_request, response) => respond(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

it('refuses a body that is too large, and accepts others', async () => {
  respond = (response) => response.end('x'.repeat(1000));
  expect(await (await boundedFetch(1000)(url)).text()).toHaveLength(1000);
  await expect((await boundedFetch(999)(url)).text()).rejects.toThrow('a message is larger than 999 bytes');
});

it('applies the limit to each message of a stream', async () => {
  const messages = Array.from({ length: 10 }, () => `data: ${'x'.repeat(100)}\n\n`);
  respond = (response) => response.end(messages.join(''));
  expect(await (await boundedFetch(2000)(url)).text()).toBe(messages.join(''));
});

it('keeps the address, and aborts with its signal', async () => {
  respond = (response) => response.write('beginning');
  const stop = new AbortController();
  const response = await boundedFetch(1000)(url, { signal: stop.signal });
  expect(response.url).toBe(url);
  const reading = expect(response.text()).rejects.toThrow('aborted');
  stop.abort();
  await reading;
});
