import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ParticipantOptions, Relay } from '@agent-relay/sdk';
import type { RelayServer } from '../server/relay-server.ts';
import type { Access, Doorkeeper } from './admission/access.ts';
import type { CorsOptions } from './cors.ts';

/** A gateway to other MCP servers: the toolset `gateway`. */
export interface GatewayDoor {
  /** Serves a request that was let in; its body was not read. */
  handle(request: IncomingMessage, response: ServerResponse, visit: GatewayVisit): Promise<void>;
}

/** Who asks the gateway for something, as the door found out. */
export interface GatewayVisit {
  /** The same for all requests of one client; its sessions are for nobody else. */
  caller: string;
  /** Whom its sessions count for. */
  account: string;
  /** What it was let in for. */
  access: Access;
  /** The agent that it is, or says it is. */
  name: string | undefined;
  /** Told of each session that is kept for the client. `end` ends it; what is returned is called when it has ended. */
  begin(end: () => Promise<void>): () => void;
  /** The relay's own server, for a client that wants toolsets of the relay too. */
  relay?: RelayServer;
}

export interface McpHttpOptions extends Doorkeeper, CorsOptions {
  /** Makes a connection to the relay for whoever was let in. */
  connect(profile: ParticipantOptions, access: Access): Promise<Relay>;
  /** The toolsets of a client that does not choose with `?tools=`. Default: `network`. */
  defaultTools?: readonly string[];
  /** The toolsets a client may choose from; all of them if absent. */
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
  /** Whom the sessions and streams of an access count for. Default: each key, and the user, for itself. */
  accountOf?(access: Access): string;
  /** Beyond so many, one that is idle is ended, of those who have most. Default: 1000. */
  maxSessions?: number;
  /** Beyond so many of one account, one of its own that is idle is ended, or it gets no more. Default: 250. */
  maxSessionsPerKey?: number;
  /** Requests of one account that are being answered, streams included. Default: 1000. */
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
  /** Where that transport's clients post. */
  messages: string;
  health: string;
}

export const DEFAULT_PATHS: McpPaths = {
  mcp: '/mcp',
  sse: '/mcp/sse',
  messages: '/mcp/messages',
  health: '/mcp/health',
};
