import type { Endpoint } from '../config/backend-config.ts';
import { Connection, type ConnectionEvents } from './connection.ts';
import { CustomTransport } from './custom-transport.ts';
import { type Era, type Negotiated, negotiate, ProbeKilled } from './negotiate.ts';
import { StdioTransport } from './stdio-transport.ts';
import { type BackendTransport, HttpRefused, type TransportEvents } from './transport.ts';

export interface OpenOptions {
  known: Era | undefined;
  clientCapabilities: Record<string, unknown>;
  timeoutMs: number;
  maxMessageBytes: number;
  maxBacklogBytes: number;
  /** Gives up connecting. */
  signal: AbortSignal;
  events: Omit<ConnectionEvents, 'closed'>;
  closed(connection: Connection, reason: string): void;
}

export interface Opened {
  connection: Connection;
  negotiated: Negotiated;
}

type Kind = BackendTransport['kind'];

/** Connects to an endpoint and agrees on a protocol era, whatever detours that takes. Nothing stays open on failure. */
export async function openConnection(endpoint: Endpoint, options: OpenOptions): Promise<Opened> {
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
  const connection: Connection = new Connection(makeTransport, options.maxBacklogBytes, {
    ...options.events,
    closed: (reason) => options.closed(connection, reason),
  });
  using _guard = closeWhenGivenUp(connection, options.signal);
  try {
    await within(options.timeoutMs, connection.start());
    const known = kind === 'sse' || kind === 'custom' ? 'legacy' : options.known;
    return { connection, negotiated: await negotiate(connection, { ...options, known }) };
  } catch (error) {
    await connection.close('the connection could not be set up');
    throw error;
  }
}

/** Closes a connection if `signal` aborts before this is disposed; whatever waits for an answer then fails. */
export function closeWhenGivenUp(connection: Connection, signal: AbortSignal): Disposable {
  const close = () => void connection.close('it was given up');
  if (signal.aborted) close();
  signal.addEventListener('abort', close);
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', close) };
}

/** The network transports bring libraries along: they are loaded by the first backend that needs them. */
async function transportFor(
  kind: Kind,
  endpoint: Endpoint,
  limit: number,
): Promise<(events: TransportEvents) => BackendTransport> {
  if (endpoint.kind === 'stdio') return (events) => new StdioTransport(endpoint, limit, events);
  if (endpoint.kind === 'custom') return (events) => new CustomTransport(endpoint, events);
  if (kind === 'ws') {
    const { WebSocketTransport } = await import('./websocket-transport.ts');
    return (events) => new WebSocketTransport(endpoint, limit, events);
  }
  const { HttpTransport } = await import('./http-transport.ts');
  return (events) => new HttpTransport(kind === 'sse' ? 'sse' : 'http', endpoint, limit, events);
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no connection within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
