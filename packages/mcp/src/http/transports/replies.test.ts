import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerContext } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { HttpReplies } from './replies.ts';

const context = {} as ServerContext;

/** Serves one request, whose client stays or disconnects, and returns the outcome of its reply. */
async function fateOf({ leave }: { leave: boolean }): Promise<boolean> {
  const fate = Promise.withResolvers<boolean>();
  const replies = new HttpReplies(fate.reject);
  const server = createServer(async (_request, response) => {
    const gone = once(response, 'close');
    await replies.serve(response, async () => {
      // One that leaves is gone before the handler comes to its end.
      if (leave) await gone;
      replies.after(context, async (written) => fate.resolve(written));
      response.end('reply');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = get({ port: (server.address() as AddressInfo).port });
  client.on('error', () => undefined);
  client.on('response', (response) => response.resume());
  if (leave) await once(server, 'request').then(() => client.destroy());
  try {
    return await fate.promise;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('knows that a reply was written', async () => {
  expect(await fateOf({ leave: false })).toBe(true);
});

it('knows that a reply was not written, even if the handler ends after its client disconnected', async () => {
  expect(await fateOf({ leave: true })).toBe(false);
});
