import { isObject, objectFrom, toJson } from '../../json/raw-json.ts';
import { BackendError, CallTimeout, ConnectionLost } from '../failures.ts';
import { HttpRefused } from '../transports/transport.ts';
import type { BackendRpc } from './backend-rpc.ts';

/** `legacy`: opens with `initialize` (2024-11-05 to 2025-11-25). `modern`: version in each request (2026-07-28). */
export type Era = 'legacy' | 'modern';

export const MODERN_VERSION = '2026-07-28';
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  logLevel: 'io.modelcontextprotocol/logLevel',
} as const;

export const IDENTITY = { name: 'agent-relay-gateway', version: '0.1.0' };

export interface Negotiated {
  era: Era;
  capabilities: Record<string, unknown>;
}

/** The modern probe crashed the backend: connect again and open with `initialize`. */
export class ProbeKilled extends Error {}

const UNSUPPORTED_VERSION = -32022;
/** After this time a server that ignores the probe gets `initialize`. */
const PROBE_MS = 3000;

export interface NegotiateOptions {
  /** The era of the last connection, if known. */
  known: Era | undefined;
  clientCapabilities: Record<string, unknown>;
  timeoutMs: number;
}

export async function negotiate(rpc: BackendRpc, options: NegotiateOptions): Promise<Negotiated> {
  if (options.known !== 'legacy') {
    // Without HTTP status codes, an old server may not answer an unknown request at all.
    const mayBeSilent = rpc.kind === 'stdio' || rpc.kind === 'ws';
    const patience = mayBeSilent ? Math.min(PROBE_MS, options.timeoutMs) : options.timeoutMs;
    const modern = await discover(rpc, options, patience);
    if (modern) return modern;
  }
  try {
    return await initialize(rpc, options);
  } catch (error) {
    // Only modern servers reject `initialize`. A slow one may have missed the probe.
    if (!isUnsupportedVersion(error)) throw error;
    const modern = await discover(rpc, options, options.timeoutMs);
    if (!modern) throw error;
    return modern;
  }
}

const isUnsupportedVersion = (error: unknown): error is BackendError =>
  error instanceof BackendError && error.code === UNSUPPORTED_VERSION;

/** The protocol says: retry once if a server rejects our version but lists it as supported. */
const isWorthAnotherTry = (error: unknown): boolean => {
  if (!isUnsupportedVersion(error)) return false;
  const data = objectFrom(error.bytes)?.data;
  return isObject(data) && Array.isArray(data.supported) && data.supported.includes(MODERN_VERSION);
};

/** `_meta` of every request to a modern server. */
export const envelope = (capabilities: unknown): Record<string, unknown> => ({
  [META.protocolVersion]: MODERN_VERSION,
  [META.clientInfo]: IDENTITY,
  [META.clientCapabilities]: capabilities,
});

async function discover(
  rpc: BackendRpc,
  { clientCapabilities }: NegotiateOptions,
  timeoutMs: number,
): Promise<Negotiated | undefined> {
  try {
    const params = new Map([['_meta', toJson(envelope(clientCapabilities))]]);
    const ask = () => rpc.request('server/discover', params, { timeoutMs });
    const answer = await ask().catch((error: unknown) => {
      if (isWorthAnotherTry(error)) return ask();
      throw error;
    });
    const result = objectFrom(answer);
    const versions = result?.supportedVersions;
    if (!Array.isArray(versions) || !versions.includes(MODERN_VERSION)) return undefined;
    rpc.negotiated(MODERN_VERSION);
    return { era: 'modern', capabilities: isObject(result?.capabilities) ? result.capabilities : {} };
  } catch (error) {
    if (error instanceof BackendError || error instanceof CallTimeout) return undefined;
    if (error instanceof HttpRefused && error.status < 500 && error.status !== 401 && error.status !== 403) {
      return undefined;
    }
    if (error instanceof ConnectionLost && error.written && rpc.kind === 'stdio') {
      throw new ProbeKilled(error.message, { cause: error });
    }
    throw error;
  }
}

async function initialize(rpc: BackendRpc, options: NegotiateOptions): Promise<Negotiated> {
  const params = new Map([
    ['protocolVersion', toJson(LEGACY_VERSIONS[0])],
    ['capabilities', toJson(options.clientCapabilities)],
    ['clientInfo', toJson(IDENTITY)],
  ]);
  const result = objectFrom(await rpc.request('initialize', params, { timeoutMs: options.timeoutMs }));
  const version = result?.protocolVersion;
  if (typeof version !== 'string' || !LEGACY_VERSIONS.includes(version)) {
    throw new Error(`the server speaks an unknown protocol version (${String(version)})`);
  }
  rpc.negotiated(version);
  rpc.notify('notifications/initialized', {});
  return { era: 'legacy', capabilities: isObject(result?.capabilities) ? result.capabilities : {} };
}
