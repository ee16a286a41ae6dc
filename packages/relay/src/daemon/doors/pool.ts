import type { Server, Socket } from 'node:net';
import { dirname, join } from 'node:path';
import {
  createGateway,
  customBackend,
  type GatewayLogLevel,
  HttpHandler,
  LOG_LEVELS,
  type ServerChange,
  type ServerStatus,
  serveGatewaySocket,
} from '@agent-relay/gateway';
import type { GatewayDoor, GatewayVisit } from '@agent-relay/mcp';
import {
  type McpServerStatus,
  nameKey,
  RelayError,
  type ServerInfo,
  type ServerTool,
} from '@agent-relay/protocol';
import { callWord } from '../../core/calls/call-names.ts';
import type { Backends } from '../../core/ports/backends.ts';
import type { Workspace } from '../../core/ports/store/workspaces.ts';
import type { Principal } from '../../core/principal.ts';
import type { Relay } from '../../core/relay.ts';
import { listenPrivately } from '../../transport/connections/unix-socket.ts';
import { introduce } from '../../transport/handshake.ts';
import type { Logger } from '../log/log.ts';
import type { Settings } from '../settings/settings.ts';
import { poolSocketPath } from './pool-socket.ts';
import { requireFiles } from './server-files.ts';

/** The daemon's MCP servers: one gateway for all agents. */
export interface Pool {
  /** Serves clients of the MCP door. `principalOf` identifies them. */
  door(principalOf: (visit: GatewayVisit) => Promise<Principal>): GatewayDoor;
  /** Serves local clients of a project, next to its socket. */
  listen(workspace: Workspace, socketPath: string): Promise<Server>;
  status(): { servers: McpServerStatus[]; serversError?: string };
  /** The tools of a server that may be called. */
  tools(server: string): object[];
  /** Its servers, for calls that agents make by name. */
  readonly backends: Backends;
  close(): Promise<void>;
}

/** The pool's state directory: what its servers offer, and which tools are approved. */
export const poolDirectory = (dataDirectory: string): string => join(dataDirectory, 'gateway');

/** Starts the servers listed in the configured files. An invalid file keeps the daemon from starting. */
export async function openPool({ mcp, dataDirectory }: Settings, relay: Relay, log: Logger): Promise<Pool> {
  await requireFiles(mcp.servers);
  const gateway = await createGateway({
    configFiles: mcp.servers,
    // The daemon's own working directory means nothing to the user.
    directoryOf: dirname,
    stateDir: poolDirectory(dataDirectory),
    manageServers: mcp.manageServers,
    nameProblem: (name) => holderOf(relay, name),
    onServersChanged: () => {
      for (const { id } of relay.workspaces.list()) relay.presence.tellOwner(id, { type: 'servers.changed' });
    },
    log: (line, level) => log[level](`gateway: ${line}`),
    logLevel: leastLevel(log),
  });
  const { maxSessions, maxSessionsPerKey } = mcp;
  const visitors = new HttpHandler(gateway, { maxSessions, maxSessionsPerKey });
  const sockets = new Set<Socket>();
  const audit = (principal: Principal, { action, name, url }: ServerChange, as?: string): Promise<void> =>
    relay.workspaces.audit(principal, principal.workspace, `server.${action}`, name, {
      url,
      ...(as === undefined ? {} : { as }),
    });
  const serve = async (workspace: Workspace, socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    await serveGatewaySocket(gateway, socket, async (hello) => {
      const { principal } = await introduce(relay, { kind: 'local', workspace }, hello);
      return { serversChanged: (change) => audit(principal, change) };
    });
  };
  return {
    door: (principalOf) => ({
      handle: (request, response, visit) => {
        const { caller, account, access, name, begin, relay: beside } = visit;
        return visitors.handle(request, response, {
          caller,
          account,
          remote: access.kind !== 'local',
          serversChanged: async (change) => audit(await principalOf(visit), change, name),
          begin,
          ...(beside && {
            instructions: ({ era, info }) => beside.instructions({ hasSession: era === 'legacy', info }),
            ownBackends: ({ era, info }) => [
              customBackend('relay', (events) =>
                beside.connect({ hasSession: era === 'legacy', info }, events),
              ),
            ],
          }),
        });
      },
    }),
    status: () => {
      const { servers, config_error } = gateway.status();
      return {
        servers: servers.map(({ name, health, tools, error }) => ({
          name,
          health,
          tools,
          ...(error === undefined ? {} : { error }),
        })),
        ...(config_error === undefined ? {} : { serversError: config_error }),
      };
    },
    tools: (server) => gateway.toolsOf(server),
    backends: {
      find: (name) => gateway.serverNames.find((known) => nameKey(known) === nameKey(name)),
      beginningWith: (word) =>
        gateway.serverNames.find((known) => nameKey(callWord(known)) === nameKey(word)),
      inputSchema: (name, tool) => gateway.inputSchemaOf(name, tool),
      call: async (name, tool, args, options) =>
        valueIn(await gateway.callTool(name, tool, args, options), `${name}.${tool}`),
      list: () => {
        const { servers, config_error } = gateway.status();
        return {
          servers: servers.map(infoOf),
          ...(config_error === undefined ? {} : { error: config_error }),
        };
      },
      tools: (name) => {
        const invalid = new Map(
          gateway
            .status()
            .servers.find((server) => server.name === name)
            ?.invalid_tools?.map((tool) => [tool.name, tool.reason]),
        );
        return gateway.reviewedTools(name).map(({ definition, digest, problem }) => {
          const reason = problem ?? invalid.get(String(definition.name));
          return {
            ...toolOf(definition),
            ...(reason === undefined ? {} : { problem: reason }),
            ...(digest === undefined ? {} : { digest, definition }),
          };
        });
      },
      approve: (name, tool, digest) => gateway.approveTool(name, tool, digest),
      manager:
        mcp.manageServers === 'nobody'
          ? undefined
          : {
              add: (name, url) => gateway.addServer(name, url),
              remove: (name) => gateway.removeServer(name),
              reconnect: (name) => gateway.reconnectServer(name),
            },
    },
    listen: (workspace, socketPath) =>
      listenPrivately(poolSocketPath(socketPath), (socket) => void serve(workspace, socket)),
    async close() {
      for (const socket of sockets) socket.destroy();
      await visitors.close();
      await gateway.close();
    },
  };
}

function infoOf({ name, url, health, tools, invalid_tools, changed_tools, error }: ServerStatus): ServerInfo {
  return {
    name,
    address: url,
    health,
    tools,
    ...(invalid_tools === undefined ? {} : { invalid: invalid_tools }),
    ...(changed_tools === undefined ? {} : { changed: changed_tools }),
    ...(error === undefined ? {} : { error }),
  };
}

/** A server's description of its tool, unchecked. */
function toolOf({ name, description, inputSchema }: Record<string, unknown>): ServerTool {
  return {
    name: String(name),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof inputSchema === 'object' && inputSchema !== null
      ? { inputSchema: inputSchema as Record<string, unknown> }
      : {}),
  };
}

/** Why no server can have the name: `name.tool` means one thing. */
function holderOf({ workspaces, agents, served }: Relay, name: string): string | undefined {
  const word = callWord(name);
  for (const workspace of workspaces.list()) {
    if (agents.find(workspace, word)) return `an agent of project ${workspace.name} has this name`;
    const action = served.actionBeginningWith(workspace.id, word);
    if (action) return `an action of project ${workspace.name} is called ${action.action.name}`;
  }
  return undefined;
}

/** The result of a server's tool: its data, else its text, else all content. */
function valueIn(result: unknown, title: string): unknown {
  const { isError, structuredContent, content } = result as CallToolResult;
  const texts = (content ?? []).map(({ type, text }) => (type === 'text' ? text : undefined));
  const text = texts.every((part) => part !== undefined) ? texts.join('\n') : undefined;
  if (isError) throw new RelayError('ToolFailed', `${title} failed: ${text ?? JSON.stringify(content)}`);
  return structuredContent ?? text ?? content;
}

interface CallToolResult {
  isError?: boolean;
  structuredContent?: unknown;
  content?: Array<{ type: string; text?: string }>;
}

/** The lowest level that the daemon logs. */
const leastLevel = (log: Logger): GatewayLogLevel =>
  LOG_LEVELS.find((level) => log.isLevelEnabled(level)) ?? 'error';
