import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/**
 * Whether a loopback connection was made by this user, as the kernel says. Only Linux tells; elsewhere the answer is
 * no, and a key is needed.
 */
export async function isOwnUser(socket: Socket): Promise<boolean> {
  const own = process.getuid?.();
  if (process.platform !== 'linux' || own === undefined) return false;
  const peer = port(socket.remotePort);
  const here = port(socket.localPort);
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const rows = await readFile(table, 'utf8').catch(() => '');
    for (const row of rows.split('\n')) {
      const [, local = '', remote = '', , , , , uid] = row.trim().split(/\s+/);
      if (local.endsWith(peer) && remote.endsWith(here)) return Number(uid) === own;
    }
  }
  return false;
}

const port = (value: number | undefined): string =>
  `:${(value ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
