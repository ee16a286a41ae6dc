import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { RemoteEndpoint } from '../../config/backend-config.ts';
import { boundedFetch } from './bounded-fetch.ts';
import {
  type BackendTransport,
  HttpRefused,
  NotWritten,
  type SendOptions,
  type TransportEvents,
} from './transport.ts';

/** Errors after which the server cannot have received anything. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Streamable HTTP, or the older SSE. The MCP SDK does the work and is loaded on demand. */
export class HttpTransport implements BackendTransport {
  readonly kind: 'http' | 'sse';
  readonly #endpoint: RemoteEndpoint;
  readonly #maxMessageBytes: number;
  readonly #events: TransportEvents;
  #sdk: Transport | undefined;
  #goodbye: (() => Promise<void>) | undefined;
  /** Bytes of requests without a response so far. */
  #backlog = 0;
  #answered = false;
  #over = false;

  constructor(
    kind: 'http' | 'sse',
    endpoint: RemoteEndpoint,
    maxMessageBytes: number,
    events: TransportEvents,
  ) {
    this.kind = kind;
    this.#endpoint = endpoint;
    this.#maxMessageBytes = maxMessageBytes;
    this.#events = events;
  }

  get backlog(): number {
    return this.#backlog;
  }

  async start(): Promise<void> {
    const { SSEClientTransport, StreamableHTTPClientTransport } = await import(
      '@modelcontextprotocol/client'
    );
    const options = {
      requestInit: { headers: this.#endpoint.headers },
      fetch: boundedFetch(this.#maxMessageBytes),
    };
    const url = new URL(this.#endpoint.url);
    const streamable = this.kind === 'http' ? new StreamableHTTPClientTransport(url, options) : undefined;
    const sdk: Transport = streamable ?? new SSEClientTransport(url, options);
    if (streamable) this.#goodbye = () => streamable.terminateSession();
    this.#sdk = sdk;
    let started = false;
    sdk.onmessage = (message) => {
      this.#answered = true;
      this.#receive(message);
    };
    sdk.onerror = (error) => {
      // The SSE stream is the session. After an automatic reconnect that session is gone.
      if (this.kind === 'sse' && started) this.#end(reasonOf(error));
    };
    await sdk.start().catch((error: unknown) => {
      throw new Error(reasonOf(error), { cause: error });
    });
    started = true;
  }

  async send(message: Buffer, options: SendOptions = {}): Promise<void> {
    if (!this.#sdk || this.#over) throw new NotWritten('the connection is closed');
    const { signal, headers, onStreamEnd } = options;
    this.#backlog += message.length;
    try {
      await this.#sdk.send(JSON.parse(message.toString()) as JSONRPCMessage, {
        ...(signal === undefined ? {} : { requestSignal: signal }),
        ...(headers === undefined ? {} : { headers }),
        ...(onStreamEnd === undefined ? {} : { onRequestStreamEnd: onStreamEnd }),
      });
    } catch (error) {
      throw this.#translate(error);
    } finally {
      this.#backlog -= message.length;
    }
  }

  negotiated(version: string): void {
    this.#sdk?.setProtocolVersion?.(version);
  }

  async close(): Promise<void> {
    if (this.#goodbye && !this.#over) {
      const goodbye = this.#goodbye().catch(() => undefined /* the server may be gone already */);
      await Promise.race([goodbye, new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
    }
    await this.#sdk?.close();
    this.#end('the connection was closed');
  }

  /** A message nested too deeply to serialize exceeds every limit of the gateway. */
  #receive(message: JSONRPCMessage): void {
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const answered = 'id' in message && !('method' in message) ? message.id : undefined;
      const head = Buffer.from(JSON.stringify({ id: answered }));
      this.#events.oversized(head, head);
      return;
    }
    this.#events.message(Buffer.from(text));
  }

  #end(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#events.closed(reason);
  }

  #translate(error: unknown): Error {
    const status = (error as { data?: { status?: number } }).data?.status;
    if (status === 404 && this.#answered && this.#sdk?.sessionId !== undefined) {
      return new NotWritten('the server no longer knows the session');
    }
    if (status !== undefined) return new HttpRefused(status, reasonOf(error));
    const code = causeCode(error);
    if (code !== undefined && NEVER_CONNECTED.has(code)) return new NotWritten(reasonOf(error));
    return new Error(reasonOf(error), { cause: error });
  }
}

const causeCode = (error: unknown): string | undefined => {
  const cause = (error as { cause?: { code?: string; errors?: Array<{ code?: string }> } }).cause;
  return cause?.code ?? cause?.errors?.[0]?.code;
};

/** fetch reports "fetch failed" and keeps the reason in its cause. */
function reasonOf(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause;
  const deepest = cause instanceof Error ? cause : error instanceof Error ? error : undefined;
  const text = deepest?.message || causeCode(error) || String(error);
  return text.replaceAll(/\s+/g, ' ').slice(0, 300);
}
