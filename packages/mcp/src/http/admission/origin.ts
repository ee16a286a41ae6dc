import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { servedHosts } from '@agent-relay/platform/http';
import { RelayError } from '@agent-relay/protocol';

export interface OriginOptions {
  /** The address that is listened on. Default: 127.0.0.1. */
  host: string;
  /** Host names served besides those of the address. */
  allowedHosts: readonly string[];
  /** Origins of web pages that may connect, besides pages served from here. */
  allowedOrigins: readonly string[];
  /** Whether pages of the allowed origins may also read the answers. */
  cors: boolean;
  /** Addresses and subnets (`10.0.0.0/8`) that may connect; everybody, if empty. */
  ipAllowlist: readonly string[];
}

/** Refuses requests by where they come from: an address, a borrowed host name (DNS rebinding), a foreign web page. */
export function originGuard(options: OriginOptions): (request: IncomingMessage) => void {
  const isAllowedAddress = addressTest(options.ipAllowlist);
  const isServed = servedHosts(options.host, options.allowedHosts);
  return ({ headers, socket }) => {
    if (!isAllowedAddress(socket.remoteAddress ?? '')) {
      throw refusal('Connections from this address are not allowed here.', 'ipAllowlist');
    }
    const host = headers.host?.replace(/:\d+$/, '').toLowerCase() ?? '';
    if (!isServed(host)) throw refusal(`The host "${host}" is not served here.`, 'allowedHosts');
    const { origin } = headers;
    if (origin === undefined || isOwnOrigin(origin, headers.host) || options.allowedOrigins.includes(origin))
      return;
    throw refusal(`Pages from "${origin}" may not connect here.`, 'allowedOrigins');
  };
}

const refusal = (message: string, option: keyof OriginOptions): RelayError =>
  new RelayError('OriginRefused', message, {
    next: `Allow it in the settings (mcp.${option}) if it is yours.`,
  });

const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  origin === `http://${host}` || origin === `https://${host}`;

/** Lets the pages of allowed origins read the answer; returns true if the request asked for that and nothing else. */
export function answerCors(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { cors, allowedOrigins }: OriginOptions,
): boolean {
  if (!cors || headers.origin === undefined || !allowedOrigins.includes(headers.origin)) return false;
  response.setHeader('Access-Control-Allow-Origin', headers.origin);
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate, Retry-After');
  response.setHeader('Vary', 'Origin');
  if (method !== 'OPTIONS') return false;
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE, OPTIONS');
  response.setHeader(
    'Access-Control-Allow-Headers',
    headers['access-control-request-headers'] ?? 'Authorization, Content-Type',
  );
  response.writeHead(204).end();
  return true;
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
        next: 'Write addresses like 192.168.0.7 or subnets like 10.0.0.0/8.',
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
