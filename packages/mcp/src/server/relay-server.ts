import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { mainToolset } from '../framework/toolset.ts';
import { environmentProfile } from '../participant/identity.ts';
import { instructions } from '../prompts/instructions.ts';
import { createServer, type LocalContextOptions, localToolsets } from './create-server.ts';
import { asMessage } from './messages.ts';

/** The relay's server for one client of a gateway. */
export interface RelayServer {
  /** Its instructions for the model. */
  instructions: string;
  /** Connects the client to it, in the 2025 revisions. */
  connect(client: GatewayClient, events: MemoryEvents): Promise<MemoryChannel>;
}

export interface GatewayClient {
  /** False for clients of revision 2026-07-28 over HTTP, which have no session. */
  hasSession: boolean;
  /** The client info. */
  info: unknown;
}

/** The relay's server for the client of a gateway that runs as the user. Throws for an invalid choice of toolsets. */
export const localRelayServer = (options: LocalContextOptions): RelayServer => ({
  instructions: instructions(
    mainToolset(localToolsets(options)),
    environmentProfile(options.env ?? process.env).name,
  ),
  connect: ({ info }, events) => connectInMemory(createServer({ ...options, client: info }), events),
});

/** Events from the server to a client in this process. */
export interface MemoryEvents {
  /** One message, as JSON. */
  message(bytes: Buffer): void;
  /** The connection was closed, by either side. */
  closed(reason: string): void;
}

/** The client's end of a connection in memory. */
export interface MemoryChannel {
  send(message: Buffer): void;
  close(): Promise<void>;
}

/** Connects a server to a client in this process, with the 2025 revisions. */
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
