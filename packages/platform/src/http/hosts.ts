import { hostname, networkInterfaces } from 'node:os';
import { RelayError } from '@agent-relay/protocol';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const EVERY_INTERFACE = ['0.0.0.0', '::'];

/** Whether a server that listens on this address can be reached from this machine only. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** An MCP server that others can reach needs a key to identify them. */
export function requireKeyBeyondLoopback(host: string, apiKey: string | undefined): void {
  if (isLoopbackHost(host) || apiKey !== undefined) return;
  throw new RelayError(
    'InvalidSettings',
    `MCP over HTTP on ${host} is reachable from other machines and has no key.`,
    { next: 'Set RELAY_MCP_API_KEY, or listen on 127.0.0.1.' },
  );
}

/** An address as written in a URL or a Host header. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Whether the origin is the host of the request; a proxy in front may have made it HTTPS. */
export const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  origin === `http://${host}` || origin === `https://${host}`;

/**
 * Tests which host names, without a port, requests to a server may use: the loopback ones, the address it
 * listens on, and the allowed ones. If it listens on every interface, also this machine's name and its addresses,
 * which may change while it runs.
 */
export function servedHosts(bind: string, allowed: readonly string[]): (name: string) => boolean {
  const fixed = new Set([...LOOPBACK_NAMES, hostInUrl(bind), ...allowed].map((name) => name.toLowerCase()));
  const isEverywhere = EVERY_INTERFACE.includes(bind);
  return (name) => {
    const asked = name.toLowerCase();
    return fixed.has(asked) || (isEverywhere && ownHosts().includes(asked));
  };
}

const ownHosts = (): string[] => [
  hostname().toLowerCase(),
  ...Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => hostInUrl(address)),
  ),
];
