import { randomUUID } from 'node:crypto';
import { agentNameOf, isRelayError } from '@agent-relay/protocol';
import { connect, localAgentToken, type NodeConnectOptions, type Relay } from '@agent-relay/sdk/node';

/** The agent's identity; defaults come from the environment or the relay. */
export interface AgentProfile {
  name?: string | undefined;
  lead?: boolean | undefined;
  channels?: readonly string[] | undefined;
  project?: string | undefined;
}

/** How many terminals of one CLI get their own name at the same time. */
const MOST_NAMES = 32;
const NOT_FREE = ['NameInUse', 'NameTaken', 'LookAlikeName', 'ReservedName'] as const;

/**
 * The relay's connection for the agent that runs in this terminal. Without a name it is called after its CLI: `claude`,
 * `claude-2`, …, the first that no other session has.
 */
export async function connectAgent(
  { name: given, lead, channels, project }: AgentProfile,
  cli: string,
  {
    env,
    client,
    paths = ['pty'],
    reserve,
  }: Pick<NodeConnectOptions, 'client'> & {
    env: NodeJS.ProcessEnv;
    paths?: NodeConnectOptions['paths'] | undefined;
    /** Throws `NameInUse` if the agent runs already. */
    reserve: (relay: Relay) => Promise<unknown>;
  },
): Promise<Relay> {
  const run = randomUUID();
  const options: NodeConnectOptions = {
    env,
    cli,
    paths,
    receiver: run,
    ...(client && { client }),
    ...(lead && { lead }),
    ...(channels && { channels: [...channels] }),
    ...(project !== undefined && { project }),
  };
  const wanted = given ?? (env.RELAY_AGENT_NAME || undefined);
  if (wanted !== undefined)
    return await reserved(connect({ ...options, name: wanted, ...tokenOf(wanted, env) }), reserve);
  const claim = { client: cli, session: run };
  for (const candidate of namesAfter(cli)) {
    try {
      return await reserved(connect({ ...options, name: candidate, claim }), reserve);
    } catch (error) {
      if (!isRelayError(error) || !NOT_FREE.some((code) => code === error.code)) throw error;
    }
  }
  const name = `${agentNameOf(cli, 'agent')}-${run.slice(0, 8)}`;
  return await reserved(connect({ ...options, name, ephemeral: true }), reserve);
}

async function reserved(
  connecting: Promise<Relay>,
  reserve: (relay: Relay) => Promise<unknown>,
): Promise<Relay> {
  const relay = await connecting;
  try {
    await reserve(relay);
    return relay;
  } catch (error) {
    await relay.close();
    throw error;
  }
}

/** A new agent can declare itself the lead; an existing one is made the lead by its owner, who runs it here. */
export async function makeLead(
  relay: Relay,
  env: NodeJS.ProcessEnv,
  client: NodeConnectOptions['client'],
): Promise<void> {
  const { name = '', project, welcome } = relay;
  if (welcome.agent?.lead) return;
  const ownEnvironment = { ...env, RELAY_AGENT_NAME: undefined };
  await using owner = await connect({
    ...{ env: ownEnvironment, reconnect: false },
    ...(client && { client }),
    ...(env.RELAY_URL ? {} : { project }),
  });
  await owner.agents.set(name, { lead: true });
}

/** The environment that makes its MCP server and its commands act as this agent. */
export const tokenFor = async (relay: Relay, env: NodeJS.ProcessEnv): Promise<string | undefined> =>
  relay.agentToken ??
  tokenOf(relay.name ?? '', env).token ??
  (env.RELAY_URL ? undefined : await localAgentToken(relay.project, relay.name ?? '', env));

/** A token in the environment belongs to the agent named there. */
const tokenOf = (
  name: string,
  { RELAY_AGENT_NAME, RELAY_AGENT_TOKEN }: NodeJS.ProcessEnv,
): { token?: string } => (RELAY_AGENT_TOKEN && RELAY_AGENT_NAME === name ? { token: RELAY_AGENT_TOKEN } : {});

function* namesAfter(cli: string): Generator<string> {
  const base = agentNameOf(cli, 'agent').slice(0, 60);
  yield base;
  for (let number = 2; number <= MOST_NAMES; number++) yield `${base}-${number}`;
}
