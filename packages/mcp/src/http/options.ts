import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ParticipantOptions, Relay } from '@agent-relay/sdk';
import type { RelayServer } from '../server/relay-server.ts';
import type { Access, Doorkeeper } from './admission/access.ts';
import type { CorsOptions } from './cors.ts';

/** A gateway to other MCP servers: the toolset `gateway`. */
export interface GatewayDoor {
  /** Serves an accepted request; its body has not been read. */
  handle(request: IncomingMessage, response: ServerResponse, visit: GatewayVisit): Promise<void>;
}

/** The client of the gateway, as identified by the door. */
export interface GatewayVisit {
  /** The same for all requests of one client; only it can use its sessions. */
  caller: string;
  /** The account its sessions count for. */
  account: string;
  /** Its credential. */
  access: Access;
  /** The agent it is, or claims to be. */
  name: string | undefined;
  /** Called for each session kept for the client. `end` ends it; the returned function is called when it has ended. */
  begin(end: () => Promise<void>): () => void;
  /** The relay's own server, for a client that wants toolsets of the relay too. */
  relay?: RelayServer;
}

export interface McpHttpOptions extends Doorkeeper, CorsOptions {
  /** Connects an accepted client to the relay. */
  connect(profile: ParticipantOptions, access: Access): Promise<Relay>;
  /** The toolsets of a client that does not choose with `?tools=`. Default: `network`. */
  defaultTools?: readonly string[];
  /** The toolsets a client may choose from. Default: all. */
  toolsetsFor?(access: Access): readonly string[] | undefined;
  /** Serves the toolset `roles` for these roles. */
  roles?: readonly string[];
  /** Serves the toolset `gateway`. */
  gateway?: GatewayDoor;
  /** Default: 6000, for each key. */
  requestsPerMinute?: number;
  /** Default: 1 MiB. */
  maxBodyBytes?: number;
  /** How long a session without an open stream is kept. Default: 12 hours. */
  sessionIdleMs?: number;
  /** How long an agent stays online after the last request made for it. Default: 5 minutes. */
  lingerMs?: number;
  /** The account that sessions and streams count for. Default: one per key, and one for the user. */
  accountOf?(access: Access): string;
  /** With more sessions than this, an idle one of the largest account is ended. Default: 1000. */
  maxSessions?: number;
  /** With more sessions of one account, one of its idle ones is ended, or it gets no more. Default: 250. */
  maxSessionsPerKey?: number;
  /** Open requests of one account, including streams. Default: 1000. */
  maxStreamsPerKey?: number;
  /** What the bodies of those requests may have together, in bytes. Default: 128 MiB. */
  maxRequestBytesPerKey?: number;
  paths?: Partial<McpPaths>;
  onerror?(error: unknown): void;
}

export interface McpPaths {
  /** Streamable HTTP. */
  mcp: string;
  /** The stream of the older HTTP transport. */
  sse: string;
  /** Where clients of that transport post messages. */
  messages: string;
  health: string;
}

export const DEFAULT_PATHS: McpPaths = {
  mcp: '/mcp',
  sse: '/mcp/sse',
  messages: '/mcp/messages',
  health: '/mcp/health',
};
