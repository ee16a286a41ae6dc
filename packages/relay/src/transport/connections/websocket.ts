import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Door, NO_PAGES } from '@agent-relay/platform/http';
import { RelayError } from '@agent-relay/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import { FAREWELL_MS } from '../flow/limits.ts';
import type { AcceptConnection, Connection, Outgoing } from './connection.ts';
import { GroupedWrites } from './grouped-writes.ts';

/**
 * Takes over upgraded connections: one envelope per text message, the same envelopes as on the socket. The key is sent in
 * HELLO, never in a URL or log; only Host and Origin decide who may send HELLO.
 */
export class WebSocketDoor implements Door {
  readonly paths = ['/ws'];
  readonly contentSecurityPolicy = NO_PAGES;
  readonly #server: WebSocketServer;
  readonly #accept: AcceptConnection;

  constructor(maxFrameBytes: number, accept: AcceptConnection) {
    // Compression would cost memory per connection and gains nothing on loopback.
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: maxFrameBytes,
      perMessageDeflate: false,
      clientTracking: false,
    });
    this.#accept = accept;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, socket, this.#accept));
  }
}

function serve(webSocket: WebSocket, socket: Duplex, accept: AcceptConnection): void {
  const session = accept(new WebSocketConnection(webSocket, socket));
  webSocket.on('message', (data, isBinary) => {
    if (isBinary)
      session.invalid(
        new RelayError('MalformedFrame', 'Envelopes must be text messages, not binary.'),
        false,
      );
    else session.text(data.toString());
  });
  socket.on('drain', session.drained);
  // `ws` ends the connection itself after an error (too large, invalid UTF-8); 'close' follows.
  webSocket.on('error', (error) => session.invalid(error, true));
  webSocket.on('close', session.closed);
}

class WebSocketConnection implements Connection {
  readonly label = 'websocket';
  readonly #webSocket: WebSocket;
  readonly #writes: GroupedWrites;

  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket;
    this.#writes = new GroupedWrites(socket);
  }

  send(outgoing: Outgoing): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    this.#writes.begin(outgoing.canWait);
    this.#webSocket.send(outgoing.text);
  }

  get bufferedBytes(): number {
    return this.#webSocket.bufferedAmount;
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  close(hard = false): void {
    if (hard) {
      this.#webSocket.terminate();
      return;
    }
    this.#webSocket.resume();
    this.#webSocket.close();
    setTimeout(() => this.#webSocket.terminate(), FAREWELL_MS).unref();
  }
}
