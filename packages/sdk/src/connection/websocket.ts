import { RelayError } from '@agent-relay/protocol';
import type { OpenWire } from './wire.ts';

/** The daemon's WebSocket for an address as typed in a browser: `https://host` is `wss://host/ws`. */
export function webSocketUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^(http|ws)s?:$/.test(url.protocol)) {
    throw new RelayError('InvalidRequest', `"${address}" is not the address of a daemon.`, {
      next: 'Use one such as https://relay.example.com or ws://127.0.0.1:3888/ws',
    });
  }
  url.protocol = url.protocol.replace('http', 'ws');
  if (url.pathname === '/') url.pathname = '/ws';
  return url.href;
}

/** Opens a WebSocket that carries one envelope in each text message; in a browser as in Node. */
export function webSocketWire(address: string): OpenWire {
  const url = webSocketUrl(address);
  return (events, signal) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      const abort = () => socket.close();
      signal.addEventListener('abort', abort, { once: true });
      let opened = false;
      socket.onopen = () => {
        opened = true;
        signal.removeEventListener('abort', abort);
        resolve({
          send: (text) => socket.send(text),
          close: () => socket.close(1000),
          destroy: () => socket.close(1000),
        });
      };
      socket.onmessage = ({ data }) => {
        if (typeof data === 'string') events.onText(data);
      };
      socket.onclose = ({ code, reason }) => {
        if (opened) {
          events.onClose(
            code === 1000
              ? undefined
              : new RelayError('Connection', `The WebSocket closed with ${code} ${reason}`.trimEnd()),
          );
        } else reject(new RelayError('DaemonNotRunning', `No daemon answers at ${url}.`));
      };
    });
}
