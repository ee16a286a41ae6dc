import type { Readable, Writable } from 'node:stream';
import { LineReader } from '@agent-relay/platform';
import { type JSONRPCMessage, ProtocolErrorCode, type Transport } from '@modelcontextprotocol/server';
import { asMessage, repliedTo } from '../server/messages.ts';
import type { PendingReplies } from '../server/replies.ts';

/** More than any message the relay accepts, with room for JSON escapes. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** How long a client that has closed its input is served, for its first reply. */
const FIRST_REPLY_MS = 2000;

interface LineTransportOptions {
  input: Readable;
  output: Writable;
  replies: PendingReplies;
  /** Called with each message before it is handled. */
  onreceived(message: JSONRPCMessage): void;
}

/**
 * MCP over two streams, one message per line. Lines that are not messages are answered with an error, or skipped
 * if they are too long to buffer; the connection stays open.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the client disconnects. */
  readonly closed: Promise<void>;
  readonly #options: LineTransportOptions;
  readonly #lines = new LineReader(MAX_LINE_BYTES, {
    line: (bytes) => this.#receive(bytes.toString('utf8')),
    oversized: () => undefined,
  });
  readonly #end: () => void;
  #isClosed = false;
  #hasInputEnded = false;
  #firstReply: 'none' | 'owed' | 'written' = 'none';

  constructor(options: LineTransportOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#end = resolve;
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    input.on('data', (chunk: Buffer) => this.#lines.push(chunk));
    // However the client disconnected, there is nobody left to talk to.
    for (const event of ['end', 'close']) input.on(event, () => this.#inputEnded());
    input.on('error', () => void this.close());
    output.on('error', () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    const { output, replies } = this.#options;
    await new Promise<void>((resolve, reject) => {
      output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
    const reply = repliedTo(message);
    if (!reply) return;
    replies.settle(reply.id, reply.isResult);
    this.#firstReply = 'written';
    if (this.#hasInputEnded) await this.close();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.input.pause();
    this.onclose?.();
    this.#end();
  }

  /** A client that pipes in a request and closes its input still wants the reply, unless that takes long. */
  #inputEnded(): void {
    this.#hasInputEnded = true;
    if (this.#firstReply === 'owed') setTimeout(() => void this.close(), FIRST_REPLY_MS).unref();
    else void this.close();
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = asMessage(JSON.parse(line));
    } catch (error) {
      this.#refuse(error);
      return;
    }
    if (this.#firstReply === 'none' && 'method' in message && 'id' in message) this.#firstReply = 'owed';
    this.#options.onreceived(message);
    this.onmessage?.(message);
  }

  #refuse(error: unknown): void {
    const [code, text] =
      error instanceof SyntaxError
        ? [ProtocolErrorCode.ParseError, 'The line is not JSON.']
        : [ProtocolErrorCode.InvalidRequest, 'The line is not a JSON-RPC message.'];
    const refusal = { jsonrpc: '2.0', id: null, error: { code, message: text } };
    this.#options.output.write(`${JSON.stringify(refusal)}\n`);
    this.onerror?.(new Error(text, { cause: error }));
  }
}
