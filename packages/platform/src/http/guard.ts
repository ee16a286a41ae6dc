import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { RelayError } from '@agent-relay/protocol';
import { isOwnOrigin, servedHosts } from './hosts.ts';

export interface GuardOptions {
  /** The address the server listens on. */
  host: string;
  /** Host names allowed in addition to those of the address. */
  allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that may connect, in addition to the server's own. */
  allowedOrigins?: readonly string[] | undefined;
  /** Addresses and subnets (`10.0.0.0/8`) that may connect; all, if empty. */
  ipAllowlist?: readonly string[] | undefined;
  /** The settings section these come from, for the next step in errors. */
  settings: 'http' | 'mcp';
}

export type Guard = (request: IncomingMessage) => RelayError | undefined;

/** Limit of the cache: clients use few host names. */
const MAX_KNOWN = 100;

/**
 * Refuses requests by origin: an address, a foreign host name (DNS rebinding), a foreign web page. It
 * does not identify the client: that takes a key, or the user of the connection.
 */
export function requestGuard(options: GuardOptions): Guard {
  const { allowedHosts = [], allowedOrigins = [], ipAllowlist = [] } = options;
  const isAllowedAddress = addressTest(ipAllowlist);
  const isServed = servedHosts(options.host, allowedHosts);
  const known = new Set<string>();
  const refusal = (message: string, setting: string): RelayError =>
    new RelayError('OriginRefused', message, {
      next: `If you trust it, add it to ${options.settings}.${setting} in the settings.`,
    });
  return ({ headers: { host = '', origin }, socket }) => {
    if (!isAllowedAddress(socket.remoteAddress ?? ''))
      return refusal('Connections from this address are not allowed.', 'ipAllowlist');
    if (!known.has(host)) {
      const name = host.replace(/:\d+$/, '').toLowerCase();
      if (!isServed(name)) return refusal(`The host "${name}" is not allowed.`, 'allowedHosts');
      if (known.size < MAX_KNOWN) known.add(host);
    }
    if (origin === undefined || isOwnOrigin(origin, host) || allowedOrigins.includes(origin))
      return undefined;
    return refusal(`The origin "${origin}" is not allowed.`, 'allowedOrigins');
  };
}

function addressTest(list: readonly string[]): (address: string) => boolean {
  if (list.length === 0) return () => true;
  const allowed = new BlockList();
  for (const entry of list) {
    const [address = '', prefix] = entry.split('/');
    const version = isIP(address);
    const bits = version === 6 ? 128 : 32;
    const length = prefix === undefined ? bits : Number(prefix);
    if (version === 0 || !Number.isInteger(length) || length < 0 || length > bits) {
      throw new RelayError('InvalidSettings', `"${entry}" is neither an address nor a subnet.`, {
        next: 'Use addresses such as 192.168.0.7 or subnets like 10.0.0.0/8.',
      });
    }
    allowed.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
  }
  return (address) => {
    const plain = address.replace(/^::ffff:/, '');
    const version = isIP(plain);
    return version !== 0 && allowed.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  };
}
