import {
  isRelayError,
  type Message,
  nameKey,
  plainAgentName,
  RelayError,
  safeText,
} from '@agent-relay/protocol';
import {
  connect,
  findDaemonSocket,
  isPerson,
  type NodeConnectOptions,
  personName,
  type Relay,
} from '@agent-relay/sdk/node';
import { VERSION } from '../../version.ts';
import type { AgentOption, ProjectOption } from '../options.ts';
import { tellIgnored } from '../output/tell-ignored.ts';
import { tellSkew } from '../output/tell-skew.ts';
import { tellStray } from '../output/tell-stray.ts';
import { printAside } from '../output/terminal.ts';

const client = { name: 'agent-relay', version: VERSION };
const onProject = ({ project }: ProjectOption) => (project === undefined ? {} : { project });
/** The owner has no agent name, whatever the shell's environment. */
const ownerEnvironment = () => ({ ...process.env, RELAY_AGENT_NAME: undefined });

/** Runs `work` connected as the owner of the project, without an agent name, who can see everything. `quiet`: says nothing else. */
export async function asOwner<T>(
  options: ProjectOption,
  work: (relay: Relay) => Promise<T>,
  { reconnect = false, quiet = false }: Pick<NodeConnectOptions, 'reconnect'> & { quiet?: boolean } = {},
): Promise<T> {
  const owner = { ...onProject(options), reconnect, env: ownerEnvironment() };
  await using relay = await (quiet ? connect({ ...owner, client }) : enter(owner));
  return await work(relay);
}

/**
 * The same for requests about the daemon, not about one of its projects: works in any directory, whichever projects
 * are open.
 */
export async function asDaemonOwner<T>(
  options: ProjectOption,
  work: (relay: Relay) => Promise<T>,
): Promise<T> {
  if (options.project !== undefined || process.env.RELAY_URL) return await asOwner(options, work);
  const socketPath = await findDaemonSocket();
  await using relay = await enter({ socketPath, reconnect: false, env: ownerEnvironment() });
  return await work(relay);
}

/** Runs `work` as the given agent, with what it can see, or else as the owner, who sees everything. */
export const asViewer = <T>(
  options: ProjectOption & AgentOption,
  work: (relay: Relay) => Promise<T>,
): Promise<T> => (options.as === undefined ? asOwner(options, work) : asAgent(options, work));

/** Runs `work` connected as an agent; its messages stay in the inbox, unless `work` takes them. */
export async function asAgent<T>(
  options: ProjectOption & AgentOption,
  work: (relay: Relay) => Promise<T>,
  { notify = false }: Pick<NodeConnectOptions, 'notify'> = {},
): Promise<T> {
  const { RELAY_AGENT_NAME, RELAY_AGENT_TOKEN: token } = process.env;
  if (token) checkOwnName(options.as, RELAY_AGENT_NAME);
  const name = options.as || RELAY_AGENT_NAME || personName();
  const who = { name, ...(isPerson(name) ? { type: 'human' as const } : {}), ...(token ? { token } : {}) };
  await using relay = await enter({ ...onProject(options), ...who, notify });
  if (relay.agentToken !== undefined) tellToken(name, relay.agentToken);
  return await work(relay);
}

/** Keeps a program that runs as one agent from acting as another by mistake; a person can still do it deliberately. */
function checkOwnName(wanted: string | undefined, own: string | undefined): void {
  if (!wanted || !own || nameKey(plainAgentName(wanted)) === nameKey(own)) return;
  throw new RelayError(
    'Forbidden',
    `This terminal belongs to the agent ${own}; it cannot act as ${wanted}.`,
    {
      next: `Remove --as. To do it on purpose: env -u RELAY_AGENT_TOKEN agent-relay … --as ${wanted}`,
    },
  );
}

const isRemote = ({ project, socketPath }: NodeConnectOptions): boolean =>
  project === undefined && socketPath === undefined && Boolean(process.env.RELAY_URL);

async function enter(options: NodeConnectOptions): Promise<Relay> {
  const relay = await connect({ onIgnored: tellIgnored, ...options, client });
  const { advice, daemon } = relay.welcome;
  tellSkew(daemon.version, isRemote(options));
  if (advice !== undefined) printAside(`note: ${safeText(advice)}`);
  await tellStray(relay);
  return relay;
}

/** Marks a shown message as read. If the person quits at this moment, it stays unread. */
export const markRead = (relay: Relay, { id }: Message): Promise<void> => unlessLeaving(() => relay.read(id));

/** Quitting does not wait for an answer: a closed connection is not an error. */
export async function unlessLeaving(request: () => Promise<unknown>): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (!isRelayError(error, 'Cancelled')) throw error;
  }
}

/** A remote daemon registered the name: without the token the name is lost. */
const tellToken = (name: string, token: string): void =>
  printAside(`note: Registered ${name}. Save this token as RELAY_AGENT_TOKEN; it is shown once:\n${token}`);
