import { newAgentToken } from '@agent-relay/platform/secrets';
import { isRelayError, nameKey, plainAgentName, RelayError } from '@agent-relay/protocol';
import { connect as connectOverWire } from '../connect.ts';
import type { OpenWire } from '../connection/wire.ts';
import type { ParticipantOptions } from '../options.ts';
import type { Relay } from '../relay/relay.ts';
import { findKeySocket } from './discovery/daemon-socket.ts';
import { notRunning } from './discovery/discover.ts';
import { type JoinedProject, joinedBy } from './discovery/joined.ts';
import type { Environment } from './discovery/locations.ts';
import type { OnIgnored } from './discovery/project-config.ts';
import { runningProjects } from './discovery/running-projects.ts';
import { SocketFinder } from './discovery/socket-finder.ts';
import { localTokenSource } from './tokens.ts';
import { unixSocketWire } from './unix-socket.ts';

/**
 * Without `url`, `open` or `socketPath`, `discoverSocket` finds the daemon; with a `workspaceKey` it is this
 * user's daemon, whatever the project.
 */
export interface NodeConnectOptions extends ParticipantOptions {
  /** The daemon's WebSocket; needs a `workspaceKey` or a `token`. */
  url?: string | URL;
  socketPath?: string;
  project?: string;
  /** A custom transport. */
  open?: OpenWire;
  /** Default: `process.env`. */
  env?: Environment;
  /** Where the search for `.relay/config.json` starts. Default: the working directory. */
  cwd?: string;
  /** Called for a `.relay` that is ignored because others own it or can write to it. */
  onIgnored?: OnIgnored;
}

/** Why the client is in its project, by client: it may have found another place of it meanwhile. */
const joined = new WeakMap<Relay, () => JoinedProject | undefined>();

/** How a client of `connect` came to its project; undefined for a custom transport. */
export const joinedProject = (relay: Relay): JoinedProject | undefined => joined.get(relay)?.();

/**
 * Connects to the relay from Node. Options that are not set come from the environment: `RELAY_AGENT_NAME`,
 * `RELAY_CHANNELS`, `RELAY_LEAD`, `RELAY_URL`, `RELAY_WORKSPACE_KEY`. A local agent needs no token: it is kept in the data directory.
 * `joinedProject` tells why the client is in its project.
 */
export async function connect(options: NodeConnectOptions = {}): Promise<Relay> {
  const { env = process.env } = options;
  const participant = withEnvironment(options, env);
  if (options.open) return await connectOverWire({ ...participant, open: options.open });
  const isLocal = options.socketPath !== undefined || options.project !== undefined;
  const url = options.url ?? (isLocal ? undefined : env.RELAY_URL);
  if (!url && participant.workspaceKey === undefined) return await connectLocally(participant, options, env);
  const workspaceKey = participant.workspaceKey ?? env.RELAY_WORKSPACE_KEY;
  const relay = url
    ? await connectOverWire({ ...participant, ...(workspaceKey ? { workspaceKey } : {}), url })
    : await connectByKey(participant, options, env);
  const by = url ? (options.url ? 'url' : 'RELAY_URL') : 'RELAY_WORKSPACE_KEY';
  joined.set(relay, () => ({ from: by === 'url' ? 'flag' : 'env', by }));
  return relay;
}

function withEnvironment(options: NodeConnectOptions, env: Environment): ParticipantOptions {
  const { url, socketPath, project, open, env: _env, cwd, onIgnored, ...participant } = options;
  const reference = participant.name ?? (env.RELAY_AGENT_NAME || undefined);
  const name = reference === undefined ? undefined : plainAgentName(reference);
  // An observer has no channels.
  const channels = participant.channels ?? (name === undefined ? undefined : wordsOf(env.RELAY_CHANNELS));
  return {
    ...participant,
    ...(name === undefined ? {} : { name }),
    ...(channels === undefined ? {} : { channels }),
    ...(participant.lead === undefined && env.RELAY_LEAD === '1' ? { lead: true } : {}),
  };
}

const wordsOf = (list = ''): string[] => list.split(/[,\s]+/).filter((word) => word !== '');

async function connectLocally(
  participant: ParticipantOptions,
  options: NodeConnectOptions,
  env: Environment,
): Promise<Relay> {
  const finder = new SocketFinder(options);
  const { open } = finder;
  try {
    // For a socket at a custom path, ask the daemon which project it serves.
    const findProject = async () => (await finder.find()).project ?? (await askProject({ open }));
    const relay = await connectWithToken(participant, open, findProject, env);
    joined.set(relay, () => finder.found && joinedBy(finder.found));
    return relay;
  } catch (error) {
    if (!isRelayError(error, 'DaemonNotRunning')) throw error;
    const project = options.project ?? (env.RELAY_SOCKET ? undefined : env.RELAY_PROJECT);
    if (project && options.socketPath === undefined) await checkKnown(project, env);
    throw finder.found ? await notRunning(finder.found, env) : error;
  }
}

/** Asks a daemon that does not listen for the project whether it has it under that name, and why it is not served. */
async function checkKnown(project: string, env: Environment): Promise<void> {
  const [running] = await runningProjects(env);
  if (!running) return;
  await using owner = await connectOverWire({
    open: unixSocketWire(async () => running.socketPath),
    reconnect: false,
  });
  await owner.who({ project });
  const { unserved = [] } = await owner.status();
  const found = unserved.find((one) => nameKey(one.project) === nameKey(project));
  if (found) throw RelayError.fromPayload(found.error);
  const { workspaces } = await owner.request('WORKSPACE_LIST', {});
  const known = workspaces.find(({ name }) => nameKey(name) === nameKey(project));
  if (known === undefined || known.name === project) return;
  throw new RelayError('ProjectNotFound', `The project "${project}" is spelled "${known.name}".`, {
    next: `Use that name: ${known.name}`,
    details: { suggestions: [known.name] },
  });
}

/** The key selects its workspace, whose name is not known here. */
function connectByKey(
  participant: ParticipantOptions,
  options: NodeConnectOptions,
  env: Environment,
): Promise<Relay> {
  const { workspaceKey } = participant;
  const open = unixSocketWire(() => findKeySocket(options));
  return connectWithToken(
    participant,
    open,
    () => askProject({ open, ...(workspaceKey && { workspaceKey }) }),
    env,
  );
}

/** Tokens of local agents are stored by project. */
function connectWithToken(
  participant: ParticipantOptions,
  open: OpenWire,
  findProject: () => Promise<string>,
  env: Environment,
): Promise<Relay> {
  const { name, ephemeral, token } = participant;
  if (name === undefined || token !== undefined) return connectOverWire({ ...participant, open });
  // The name of an ephemeral agent ends with this client, so its token is not stored.
  if (ephemeral) return connectOverWire({ ...participant, token: newAgentToken(), open });
  return connectOverWire({ ...participant, token: localTokenSource(findProject, name, env), open });
}

async function askProject(door: { open: OpenWire; workspaceKey?: string }): Promise<string> {
  await using observer = await connectOverWire({ ...door, reconnect: false });
  return observer.project;
}
