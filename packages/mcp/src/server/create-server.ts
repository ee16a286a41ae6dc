import { checkAgentName, plainAgentName, safeLine } from '@agent-relay/protocol';
import { isRelayError, RelayError } from '@agent-relay/sdk';
import type { Environment } from '@agent-relay/sdk/node';
import type { Server } from '@modelcontextprotocol/server';
import { ToolTable } from '../framework/tool-table.ts';
import {
  chooseToolsets,
  GATEWAY_TOOLSET,
  playsRoles,
  type Toolset,
  toolsetNames,
} from '../framework/toolset.ts';
import { environmentConnect, environmentProfile, passingName } from '../participant/identity.ts';
import { localMembership } from '../participant/membership.ts';
import { Participant } from '../participant/participant.ts';
import { DEFAULT_ROLES, Roles } from '../participant/roles.ts';
import { knownToolsets } from '../toolsets/index.ts';
import { buildServer } from './build-server.ts';
import { type ClientContext, type Replies, relayOffering } from './client-context.ts';
import { listingTurns } from './listings.ts';
import { asClientInfo } from './messages.ts';
import { Naming } from './naming.ts';

export interface LocalContextOptions {
  /** Names of toolsets. Default: `RELAY_TOOLS`, then `defaultTools`. */
  tools?: readonly string[];
  /** The default toolsets of this door. Default: `relay`. */
  defaultTools?: readonly string[];
  /** Default: `process.env`. */
  env?: Environment;
}

export interface ServerOptions extends LocalContextOptions {
  /** The client program, if another one makes the connection. */
  client?: unknown;
  onerror?(error: unknown): void;
}

/**
 * The relay's MCP server for a custom transport: `createServer().connect(transport)`. Closing it
 * disconnects from the relay. It supports the 2025 revisions; `serveStdio` and `createMcpHttp` support all.
 */
export const createServer = (options: ServerOptions = {}): Server =>
  serverOf(memoryContext(options), { client: options.client });

/** A context for a transport that does not report when a reply was written. */
export function memoryContext(options: ServerOptions): ClientContext {
  const { onerror = console.error } = options;
  // Handing a reply over has to be enough.
  const replies = {
    after: (_mcp: unknown, action: (written: boolean) => Promise<void>) =>
      void setImmediate(() => action(true).catch(onerror)),
  };
  const context = localClientContext(options, replies, onerror);
  context.participant.events.on('unreachable', (error) => {
    onerror(isRelayError(error) ? safeLine(`${error.message} ${error.next}`) : error);
  });
  return context;
}

/** A server that is the only one of its context, which ends with it. */
export function serverOf(
  context: ClientContext,
  { client, instructing = true }: { client?: unknown; instructing?: boolean },
): Server {
  const server = buildServer(context, { era: 'legacy', lasting: true, instructing });
  server.oninitialized = () => {
    context.participant.introduce(asClientInfo(client) ?? server.getClientVersion());
    context.participant.start();
  };
  const closed = server.onclose;
  server.onclose = () => {
    closed?.();
    Promise.all([context.participant.close(), context.roles.close()]).catch(context.onerror);
  };
  return server;
}

/** The toolsets for one client of this user. */
function localToolsets({
  tools,
  defaultTools = ['relay'],
  env = process.env,
}: LocalContextOptions): [Toolset, ...Toolset[]] {
  const chosen = tools ?? (env.RELAY_TOOLS ? toolsetNames(env.RELAY_TOOLS) : defaultTools);
  if (chosen.includes(GATEWAY_TOOLSET)) {
    throw new RelayError('InvalidSettings', 'This program does not serve the toolset "gateway".', {
      next: `Run: agent-relay mcp --tools ${chosen.join(',')}`,
    });
  }
  return chooseToolsets(chosen, knownToolsets(rolesIn(env)));
}

function rolesIn(env: Environment): readonly string[] {
  const names = toolsetNames(env.RELAY_ROLES ?? '');
  return names.length > 0 ? names.map((name) => checkAgentName(plainAgentName(name))) : DEFAULT_ROLES;
}

const inheritable = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('RELAY_'),
    ),
  );

/** A context for one client of this user, configured by the environment. */
export function localClientContext(
  options: LocalContextOptions,
  replies: Replies,
  onerror: (error: unknown) => void,
): ClientContext {
  const { env = process.env } = options;
  const connect = environmentConnect(env);
  const toolsets = localToolsets(options);
  const turns = listingTurns();
  // A session with a role needs no agent.
  const ownName = playsRoles(toolsets) ? undefined : passingName(`mcp-${process.pid}`);
  const participant = new Participant(connect, environmentProfile(env), ownName);
  participant.events.once('connected', () => {
    if (participant.strayNotice !== undefined) onerror(participant.strayNotice);
  });
  return {
    offering: relayOffering(new ToolTable(toolsets)),
    participant,
    roles: new Roles(rolesIn(env), connect),
    naming: new Naming(environmentProfile(env).name),
    membership: localMembership(env),
    replies,
    listings: () => turns.enter('local'),
    // A remote daemon has an environment of its own, and gets nothing of this one.
    ...(env.RELAY_URL ? {} : { environment: inheritable(env) }),
    onerror,
  };
}
