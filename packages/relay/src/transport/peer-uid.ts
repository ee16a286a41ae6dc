import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/**
 * The user behind a loopback TCP connection, as Linux tells it: the other end of the connection is a socket of this
 * machine too, and /proc/net lists it with its owner. Undefined where that cannot be known.
 */
export async function peerUid(socket: Socket): Promise<number | undefined> {
  const { remoteAddress, remotePort, localPort } = socket;
  if (
    remoteAddress === undefined ||
    remotePort === undefined ||
    localPort === undefined ||
    !isLoopback(remoteAddress)
  )
    return undefined;
  const wanted = [hexPort(remotePort), hexPort(localPort)];
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1);
    for (const line of lines) {
      const [, local = '', remote = '', , , , , uid = '', , inode = '0'] = line.trim().split(/\s+/);
      // Both ports of a loopback connection name it: the same pair cannot exist twice between loopback addresses in use.
      // A socket its process has closed already has no inode and is listed under root, whoever it belonged to.
      if (
        inode !== '0' &&
        local.split(':')[1] === wanted[0] &&
        remote.split(':')[1] === wanted[1] &&
        isLoopbackHex(local) &&
        isLoopbackHex(remote)
      ) {
        return Number(uid);
      }
    }
  }
  return undefined;
}

const isLoopback = (address: string): boolean => address === '::1' || /^(::ffff:)?127\./.test(address);

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/** 127.x.x.x (little-endian), ::1, and 127.x.x.x written as an IPv6 address. */
const isLoopbackHex = (entry: string): boolean => /^(.{6}7F|0{24}01000000|0{16}F{4}0{4}.{6}7F):/.test(entry);
