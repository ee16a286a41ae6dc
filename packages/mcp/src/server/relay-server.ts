import type { MemoryChannel, MemoryEvents } from './in-memory.ts';

/** The relay's server for one client of a gateway. */
export interface RelayServer {
  /** What a model is told about it. */
  instructions: string;
  /** Connects the client to it, in the 2025 revisions. */
  connect(client: GatewayClient, events: MemoryEvents): Promise<MemoryChannel>;
}

export interface GatewayClient {
  /** False for clients of revision 2026-07-28 over HTTP, whose requests each stand alone. */
  hasSession: boolean;
  /** What the client says about itself. */
  info: unknown;
}
