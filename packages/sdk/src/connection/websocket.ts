import { RelayError } from '@agent-relay/protocol';
import type { OpenWire } from './wire.ts';

/** Opens a WebSocket that carries one envelope in each text message; in a browser as in Node. */
export function webSocketWire(url: string): OpenWire {
  if (!/^wss?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new RelayError('InvalidRequest', `"${url}" is not a WebSocket URL.`, {
      next: 'Use a URL such as ws://127.0.0.1:3888/ws',
    });
  }
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
