import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { instructions } from '../prompts/instructions.ts';
import { memoryContext, type ServerOptions, serverOf } from './create-server.ts';
import { asClientInfo, asMessage } from './messages.ts';
import { NAME_WAIT_MS } from './naming.ts';

/** The relay's server for one client of a gateway. */
export interface RelayServer {
  /** Its instructions for the client's model. */
  instructions(client: GatewayClient): string | Promise<string>;
  /** Connects the client to it, in the 2025 revisions. */
  connect(client: GatewayClient, events: MemoryEvents): Promise<MemoryChannel>;
}

export interface GatewayClient {
  /** False for clients of revision 2026-07-28 over HTTP, which have no session. */
  hasSession: boolean;
  /** The client info. */
  info: unknown;
}

/**
 * The relay's server for the one client of a gateway that runs as the user. Throws for an invalid choice of toolsets. The client is
 * online from its first request until `close`.
 */
export function localRelayServer(
  options: Omit<ServerOptions, 'client'>,
): RelayServer & { close(): Promise<void> } {
  let context = memoryContext(options);
  const begin = (info: unknown) => {
    if (context.participant.isClosed) context = memoryContext(options);
    context.participant.introduce(asClientInfo(info));
    context.participant.start();
    return context;
  };
  return {
    async instructions({ info }) {
      const { offering, participant, naming } = begin(info);
      await participant.settled(NAME_WAIT_MS);
      naming.tell(participant.name);
      return instructions(offering.tools.toolsets, participant);
    },
    connect: ({ info }, events) =>
      connectInMemory(serverOf(begin(info), { client: info, instructing: false }), events),
    async close() {
      await Promise.all([context.participant.close(), context.roles.close()]);
    },
  };
}

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
