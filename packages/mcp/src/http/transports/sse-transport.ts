import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { repliedTo } from '../../server/messages.ts';
import type { PendingReplies } from '../../server/replies.ts';

/** Often enough for proxies that close silent connections. */
const KEEP_ALIVE_MS = 15_000;
/** A client with this much unread is not reading. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/**
 * The HTTP transport of 2024: the server sends one long event stream, whose first event says where the client
 * posts its messages.
 */
export class SseTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly sessionId: string;
  readonly #endpoint: string;
  readonly #response: ServerResponse;
  readonly #replies: PendingReplies;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(session: { id: string; endpoint: string; response: ServerResponse; replies: PendingReplies }) {
    this.sessionId = session.id;
    this.#endpoint = session.endpoint;
    this.#response = session.response;
    this.#replies = session.replies;
  }

  async start(): Promise<void> {
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      Connection: 'keep-alive',
    });
    this.#response.once('close', () => this.#closed());
    this.#keepAlive = setInterval(() => this.#response.write(': keep-alive\n\n'), KEEP_ALIVE_MS).unref();
    await this.#write(`event: endpoint\ndata: ${this.#endpoint}\n\n`);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    const reply = repliedTo(message);
    if (reply) this.#replies.settle(reply.id, reply.isResult);
  }

  async close(): Promise<void> {
    // The stream is open until the client has read it all; nothing may be written to it meanwhile.
    clearInterval(this.#keepAlive);
    this.#response.end();
  }

  #write(text: string): Promise<void> {
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
    return new Promise((resolve, reject) => {
      this.#response.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  #closed(): void {
    clearInterval(this.#keepAlive);
    this.#replies.end().catch((error) => this.onerror?.(error));
    this.onclose?.();
  }
}
