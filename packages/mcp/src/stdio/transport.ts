import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Replies } from '../server/desk.ts';
import { LineReader } from './line-reader.ts';

type AfterReply = (written: boolean) => Promise<void>;

interface LineTransportOptions {
  input: Readable;
  output: Writable;
  /** Sees each message before it is served. */
  onreceived(message: JSONRPCMessage): void;
  /** Told when something failed that was to be done after a reply. */
  onfailed(error: unknown): void;
}

/**
 * MCP over two streams, one message on each line. Lines that are no messages are answered with an error, or skipped
 * when they are too long to be kept; the connection goes on. Knows which replies were written.
 */
export class LineTransport implements Transport, Replies {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the client has gone. */
  readonly closed: Promise<void>;
  readonly #options: LineTransportOptions;
  readonly #lines = new LineReader();
  readonly #waiting = new Map<RequestId, AfterReply[]>();
  readonly #running = new Set<Promise<void>>();
  readonly #end: () => void;
  #isClosed = false;

  constructor(options: LineTransportOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#end = resolve;
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    input.on('data', (chunk: Buffer) => {
      for (const line of this.#lines.push(chunk)) this.#receive(line);
    });
    // However the client went: there is nobody left to talk to.
    for (const event of ['end', 'close', 'error']) input.on(event, () => void this.close());
    output.on('error', () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve, reject) => {
      this.#options.output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
    if (isJSONRPCResultResponse(message)) this.#settle(message.id, true);
    else if (isJSONRPCErrorResponse(message) && message.id !== undefined) this.#settle(message.id, false);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.input.pause();
    for (const id of [...this.#waiting.keys()]) this.#settle(id, false);
    this.onclose?.();
    this.#end();
  }

  /** Resolves when everything that was to be done after replies is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  after(mcp: ServerContext, action: AfterReply): void {
    const { id, signal } = mcp.mcpReq;
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), action]);
    // A cancelled request gets no reply.
    if (signal.aborted) this.#settle(id, false);
    else signal.addEventListener('abort', () => this.#settle(id, false), { once: true });
  }

  #settle(id: RequestId, written: boolean): void {
    const actions = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const action of actions) {
      const done: Promise<void> = action(written)
        .catch(this.#options.onfailed)
        .finally(() => this.#running.delete(done));
      this.#running.add(done);
    }
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch (error) {
      this.#refuse(error);
      return;
    }
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
