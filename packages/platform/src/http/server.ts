import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type ListenAddress, listenError } from './listen-error.ts';
import { DoorResponse } from './response.ts';

type HttpServer = Server<typeof IncomingMessage, typeof DoorResponse>;

/** Limits for clients that have not been identified yet. */
export interface HttpLimits {
  /** How many connections may be open at once, WebSockets included. */
  maxConnections?: number | undefined;
  /** How long a connection may take to send request headers; one that sends nothing is closed. */
  headersTimeoutMs?: number | undefined;
}

export interface HttpServerOptions extends ListenAddress, HttpLimits {
  /** Certificate and key, for HTTPS. */
  tls?: { cert: Buffer; key: Buffer } | undefined;
}

const REQUEST_MS = 60_000;
const CHECK_MS = 2_000;

/** Opens an HTTP server with limits; rejects with a next step if it cannot listen. */
export async function openHttpServer(
  listener: (request: IncomingMessage, response: DoorResponse) => void,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const { host, port, tls, maxConnections = 4000, headersTimeoutMs = 10_000 } = options;
  const common: ServerOptions<typeof IncomingMessage, typeof DoorResponse> = {
    ServerResponse: DoorResponse,
    headersTimeout: headersTimeoutMs,
    requestTimeout: Math.max(REQUEST_MS, headersTimeoutMs),
    connectionsCheckingInterval: Math.min(CHECK_MS, headersTimeoutMs),
  };
  const server = tls
    ? createSecureServer({ ...common, ...tls, handshakeTimeout: headersTimeoutMs }, listener)
    : createServer(common, listener);
  server.maxConnections = Math.min(maxConnections, await shareOfDescriptors());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  }).catch(async (error: Error) => {
    throw await listenError(error, options);
  });
  // A connection that could not be accepted is lost. Without a listener it would crash the process.
  server.on('error', () => undefined);
  return server;
}

/**
 * A quarter of the files this process may open: however many connect, enough is left for the local socket, the database
 * and another such server. Only Linux reports the limit; elsewhere it is at least 10,240.
 */
async function shareOfDescriptors(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(Number(soft) / 4));
}
