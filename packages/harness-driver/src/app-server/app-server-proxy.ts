import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { listenOnPrivateSocket } from '@agent-relay/platform';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppServer, type AppServerOptions } from './app-server.ts';
import { at, parseRpc, type RpcMessage } from './rpc.ts';

/** Limit of what is buffered for a terminal that does not read. */
const MOST_WAITING = 4 * 1024 * 1024;

/** How many answered ids are kept, to recognise late answers of the terminal. */
const MOST_ANSWERED = 64;

/** A request of the CLI's terminal, and its answer. */
export interface Exchange {
  request: RpcMessage;
  answer: RpcMessage;
}

/**
 * A proxy between the CLI's terminal and its app server: everything passes unchanged in both directions. The relay
 * requests turns on the same connection, so it knows which thread is shown and needs no other access.
 */
export class AppServerProxy implements AsyncDisposable {
  readonly #server: AppServer;
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  readonly #requests = new Map<string | number, RpcMessage>();
  /** Open requests of the server to the terminal, oldest first. */
  readonly #open = new Map<string | number, RpcMessage>();
  /** Requests answered here; the terminal's own answers to them are dropped. */
  readonly #answered = new Set<string | number>();
  #terminal: WebSocket | undefined;
  onNotification: (message: RpcMessage) => void = () => undefined;
  onExchange: (exchange: Exchange) => void = () => undefined;
  /** The terminal connected or disconnected, or the server ended. */
  onChange: () => void = () => undefined;

  private constructor(options: AppServerOptions) {
    this.#server = new AppServer(options);
    this.#server.onMessage = (message, text) => this.#said(message, text);
    this.#server.onEnd = () => {
      this.#terminal?.close();
      this.onChange();
    };
    this.#http = createServer();
    this.#sockets = new WebSocketServer({ server: this.#http, maxPayload: 256 * 1024 * 1024 });
    this.#sockets.on('connection', (socket) => this.#connected(socket));
  }

  /** The socket must be in a directory private to this user. */
  static async start(socketPath: string, options: AppServerOptions): Promise<AppServerProxy> {
    const proxy = new AppServerProxy(options);
    await listenOnPrivateSocket(proxy.#http, socketPath);
    return proxy;
  }

  get isConnected(): boolean {
    return this.#terminal !== undefined && this.#server.isRunning;
  }

  request(method: string, params: unknown): Promise<RpcMessage | undefined> {
    return this.#server.request(method, params);
  }

  /** The server's current questions to the person. */
  get openRequests(): Iterable<RpcMessage> {
    return this.#open.values();
  }

  /** Answers the server in the terminal's place; false if the request is not open. The server tells the terminal. */
  answer(id: string | number, result: unknown): boolean {
    if (!this.isConnected || !this.#open.delete(id)) return false;
    this.#answered.add(id);
    for (const old of this.#answered) if (this.#answered.size > MOST_ANSWERED) this.#answered.delete(old);
    this.#server.send(JSON.stringify({ id, result }));
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
    await this.#server[Symbol.asyncDispose]();
  }

  #connected(socket: WebSocket): void {
    // One client per server: a second terminal would get the answers of the first.
    if (this.#terminal) {
      socket.close();
      return;
    }
    this.#terminal = socket;
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => this.#asked(String(data)));
    socket.once('close', () => {
      this.#terminal = undefined;
      this.#open.clear();
      this.onChange();
    });
    this.onChange();
  }

  #asked(text: string): void {
    const message = parseRpc(text);
    if (message?.id !== undefined) {
      if (message.method !== undefined) this.#requests.set(message.id, message);
      else if (this.#answered.delete(message.id)) return;
      else if (this.#open.delete(message.id)) this.onChange();
    }
    this.#server.send(text);
  }

  #said(message: RpcMessage, text: string): void {
    this.#forward(text);
    const { id, method } = message;
    if (method !== undefined) {
      if (id === undefined) {
        const resolved = method === 'serverRequest/resolved' ? at(message.params, 'requestId') : undefined;
        if (typeof resolved === 'string' || typeof resolved === 'number') this.#open.delete(resolved);
        this.onNotification(message);
      } else {
        this.#open.set(id, message);
        this.onChange();
      }
      return;
    }
    const request = id === undefined ? undefined : this.#requests.get(id);
    if (id === undefined || !request) return;
    this.#requests.delete(id);
    this.onExchange({ request, answer: message });
  }

  #forward(text: string): void {
    const terminal = this.#terminal;
    if (!terminal) return;
    const isFull = terminal.bufferedAmount > MOST_WAITING;
    const goOn = isFull ? this.#server.pause() : undefined;
    terminal.send(text, () => goOn?.());
  }
}
