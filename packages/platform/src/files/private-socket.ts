import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import type { Server } from 'node:net';

/** Listens on a socket that only this user can open, whatever the umask. Rejects if it cannot listen. */
export async function listenOnPrivateSocket(server: Server, path: string): Promise<void> {
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o600);
}
