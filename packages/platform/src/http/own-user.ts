import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { isIPv4, type Socket } from 'node:net';
import { endianness } from 'node:os';
import { isOwnOrigin } from './hosts.ts';

/** Cached: the peer of a connection does not change, and looking up its owner takes time. */
const known = new WeakMap<Socket, Promise<boolean>>();

/**
 * Whether a program of the same user sent this request. Browsers do not count, because anyone's pages run
 * in them; they have to sign in.
 */
export async function isOwnUser(request: IncomingMessage): Promise<boolean> {
  if (isFromBrowser(request)) return false;
  const { socket } = request;
  const own = known.get(socket) ?? isOwnSocket(socket);
  known.set(socket, own);
  return own;
}

/**
 * A request from a page, or a navigation. Programs built on a browser's network code send `none`, as no page can; and
 * some programs send the server itself as their origin.
 */
function isFromBrowser({ headers }: IncomingMessage): boolean {
  const { host, origin, 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode } = headers;
  const isPage = origin !== undefined && !isOwnOrigin(origin, host);
  return isPage || site !== 'none' || mode === 'navigate';
}

/**
 * Whether a connection comes from a program of this user. Linux can tell: the other end of a loopback connection is a
 * socket of this machine too, and /proc/net lists it with its owner. If unknown, the answer is no.
 */
export async function isOwnSocket(socket: Socket): Promise<boolean> {
  const own = process.getuid?.();
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (own === undefined || !isLoopback(remoteAddress)) return false;
  const theirs = listed(remoteAddress, remotePort);
  const ours = listed(localAddress, localPort);
  if (theirs === undefined || ours === undefined) return false;
  const owners = await ownersOf(theirs, ours);
  return owners.size === 1 && owners.has(own);
}

/** The owners of the open sockets between these two ends. Addresses matter too: 127.0.0.1 is not the only one. */
async function ownersOf(local: string, remote: string): Promise<Set<number>> {
  const owners = new Set<number>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const rows = (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1);
    for (const row of rows) {
      const [, from = '', to = '', , , , , uid, , inode = '0'] = row.trim().split(/\s+/);
      // A closed socket has no inode and is listed under root.
      if (inode !== '0' && unmapped(from) === local && unmapped(to) === remote) owners.add(Number(uid));
    }
  }
  return owners;
}

const isLoopback = (address = ''): boolean => address === '::1' || /^(::ffff:)?127\./.test(address);

/** The tables write an address in words of the machine's own byte order. */
function word(bytes: number[]): string {
  const ordered = endianness() === 'LE' ? bytes.toReversed() : bytes;
  return Buffer.from(ordered).toString('hex').toUpperCase();
}

const ZEROS = '00000000';
const LOOPBACK6 = ZEROS.repeat(3) + word([0, 0, 0, 1]);
const MAPPED_PREFIX = ZEROS.repeat(2) + word([0, 0, 255, 255]);

/** An end of a connection as written in the tables; of IPv6 addresses, only loopback is supported. */
function listed(address = '', port = 0): string | undefined {
  const v4 = address.replace(/^::ffff:/, '');
  const hex = isIPv4(v4) ? word(v4.split('.').map(Number)) : address === '::1' ? LOOPBACK6 : undefined;
  return hex && `${hex}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** An IPv4 address from the IPv6 table, as written in the IPv4 table. */
const unmapped = (entry: string): string =>
  entry.startsWith(MAPPED_PREFIX) ? entry.slice(MAPPED_PREFIX.length) : entry;
