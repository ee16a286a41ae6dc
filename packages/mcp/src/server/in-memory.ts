import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { asMessage } from './messages.ts';

/** What a client in this process is told by its server. */
export interface MemoryEvents {
  /** One message, as JSON. */
  message(bytes: Buffer): void;
  /** The server ended the connection, or it was closed. */
  closed(reason: string): void;
}

/** The client's end of a connection in memory. */
export interface MemoryChannel {
  send(message: Buffer): void;
  close(): Promise<void>;
}

/** Connects a server to a client in this process. It then speaks the 2025 revisions. */
export async function connectInMemory(server: Server, events: MemoryEvents): Promise<MemoryChannel> {
  let isOver = false;
  const transport: Transport = {
    start: async () => undefined,
    send: async (message: JSONRPCMessage) => {
      if (!isOver) events.message(Buffer.from(JSON.stringify(message)));
    },
    close: async () => {
      if (isOver) return;
      isOver = true;
      transport.onclose?.();
      events.closed('the relay ended the session');
    },
  };
  await server.connect(transport);
  return {
    send: (message) => transport.onmessage?.(asMessage(JSON.parse(message.toString()))),
    close: () => server.close(),
  };
}
