import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';

/** A unix socket that passes bytes on to another one, and can be cut and mended: a client that loses its connection for a while. */
export async function startSocketProxy(target: string) {
  const path = `${target}.proxy`;
  const sockets = new Set<Socket>();
  let held: string | undefined;
  const server = createServer((client) => {
    const daemon = createConnection(target);
    // Before the request itself is passed on.
    client.on('data', (bytes) => {
      if (held !== undefined && bytes.includes(`"${held}"`)) daemon.unpipe(client).resume();
    });
    for (const [from, to] of [
      [client, daemon],
      [daemon, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const mend = async () => {
    server.listen(path);
    await once(server, 'listening');
  };
  const cut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await mend();
  return {
    path,
    cut,
    mend,
    /** From a request of this operation on, its connection gets no more answers. */
    holdAnswersTo(operation: string | undefined) {
      held = operation;
    },
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await cut();
    },
  };
}
