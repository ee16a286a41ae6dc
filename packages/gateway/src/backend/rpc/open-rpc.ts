import type { Endpoint } from '../../config/backend-config.ts';
import { CustomTransport } from '../transports/custom-transport.ts';
import { StdioTransport } from '../transports/stdio-transport.ts';
import { type BackendTransport, HttpRefused, type TransportEvents } from '../transports/transport.ts';
import { BackendRpc, type RpcEvents } from './backend-rpc.ts';
import { type Era, type Negotiated, negotiate, ProbeKilled } from './negotiate.ts';

export interface OpenOptions {
  known: Era | undefined;
  clientCapabilities: Record<string, unknown>;
  timeoutMs: number;
  maxMessageBytes: number;
  maxBacklogBytes: number;
  /** Aborts connecting. */
  signal: AbortSignal;
  events: Omit<RpcEvents, 'closed'>;
  closed(rpc: BackendRpc, reason: string): void;
}

export interface Opened {
  rpc: BackendRpc;
  negotiated: Negotiated;
}

type Kind = BackendTransport['kind'];

/** Connects to an endpoint and negotiates the era, with fallbacks. Leaves nothing open on failure. */
export async function openRpc(endpoint: Endpoint, options: OpenOptions): Promise<Opened> {
  const kind = endpoint.kind === 'auto' ? 'http' : endpoint.kind;
  try {
    return await open(kind, endpoint, options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof ProbeKilled) return open(kind, endpoint, { ...options, known: 'legacy' });
    const notStreamable = error instanceof HttpRefused && [400, 404, 405].includes(error.status);
    if (endpoint.kind === 'auto' && notStreamable) return open('sse', endpoint, options);
    throw error;
  }
}

async function open(kind: Kind, endpoint: Endpoint, options: OpenOptions): Promise<Opened> {
  const makeTransport = await transportFor(kind, endpoint, options.maxMessageBytes);
  const rpc: BackendRpc = new BackendRpc(makeTransport, options.maxBacklogBytes, {
    ...options.events,
    closed: (reason) => options.closed(rpc, reason),
  });
  using _guard = closeWhenGivenUp(rpc, options.signal);
  try {
    await within(options.timeoutMs, rpc.start());
    const known = kind === 'sse' || kind === 'custom' ? 'legacy' : options.known;
    return { rpc, negotiated: await negotiate(rpc, { ...options, known }) };
  } catch (error) {
    await rpc.close('the connection could not be set up');
    throw error;
  }
}

/** Closes the connection if `signal` aborts before this is disposed. Pending requests then fail. */
export function closeWhenGivenUp(rpc: BackendRpc, signal: AbortSignal): Disposable {
  const close = () => void rpc.close('the attempt was aborted');
  if (signal.aborted) close();
  signal.addEventListener('abort', close);
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', close) };
}

/** Network transports need libraries, so they are loaded on demand. */
async function transportFor(
  kind: Kind,
  endpoint: Endpoint,
  limit: number,
): Promise<(events: TransportEvents) => BackendTransport> {
  if (endpoint.kind === 'stdio') return (events) => new StdioTransport(endpoint, limit, events);
  if (endpoint.kind === 'custom') return (events) => new CustomTransport(endpoint, events);
  if (kind === 'ws') {
    const { WebSocketTransport } = await import('../transports/websocket-transport.ts');
    return (events) => new WebSocketTransport(endpoint, limit, events);
  }
  const { HttpTransport } = await import('../transports/http-transport.ts');
  return (events) => new HttpTransport(kind === 'sse' ? 'sse' : 'http', endpoint, limit, events);
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no connection within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
