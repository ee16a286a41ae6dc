import { randomUUID } from 'node:crypto';
import { agentNameOf, isRelayError } from '@agent-relay/protocol';
import { connect, localAgentToken, type NodeConnectOptions, type Relay } from '@agent-relay/sdk/node';

/** Who the agent in the terminal is; what is left out, the environment or the relay decides. */
export interface AgentProfile {
  name?: string | undefined;
  lead?: boolean | undefined;
  channels?: readonly string[] | undefined;
  project?: string | undefined;
}

/** So many terminals of one CLI have names of their own at the same time. */
const MOST_NAMES = 32;
const NOT_FREE = ['NameInUse', 'NameTaken', 'LookAlikeName', 'ReservedName'] as const;

/**
 * The relay's connection for the agent that runs in this terminal. Without a name it is called after its CLI: `claude`,
 * `claude-2`, …, the first that no other session has.
 */
export async function connectAgent(
  { name, lead, channels, project }: AgentProfile,
  cli: string,
  {
    env,
    client,
    paths = ['pty'],
  }: Pick<NodeConnectOptions, 'client'> & {
    env: NodeJS.ProcessEnv;
    paths?: NodeConnectOptions['paths'] | undefined;
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
  const wanted = name ?? (env.RELAY_AGENT_NAME || undefined);
  if (wanted !== undefined) return await connect({ ...options, name: wanted, ...tokenOf(wanted, env) });
  const claim = { client: cli, session: run };
  for (const candidate of namesAfter(cli)) {
    try {
      return await connect({ ...options, name: candidate, claim });
    } catch (error) {
      if (!isRelayError(error) || !NOT_FREE.some((code) => code === error.code)) throw error;
    }
  }
  return await connect({
    ...options,
    name: `${agentNameOf(cli, 'agent')}-${run.slice(0, 8)}`,
    ephemeral: true,
  });
}

/** What proves to others that they are this agent: its MCP server, and commands it runs. */
export const tokenFor = async (relay: Relay, env: NodeJS.ProcessEnv): Promise<string | undefined> =>
  relay.agentToken ??
  tokenOf(relay.name ?? '', env).token ??
  (env.RELAY_URL ? undefined : await localAgentToken(relay.project, relay.name ?? '', env));

/** A token in the environment is that of the agent named there. */
const tokenOf = (
  name: string,
  { RELAY_AGENT_NAME, RELAY_AGENT_TOKEN }: NodeJS.ProcessEnv,
): { token?: string } => (RELAY_AGENT_TOKEN && RELAY_AGENT_NAME === name ? { token: RELAY_AGENT_TOKEN } : {});

function* namesAfter(cli: string): Generator<string> {
  const base = agentNameOf(cli, 'agent').slice(0, 60);
  yield base;
  for (let number = 2; number <= MOST_NAMES; number++) yield `${base}-${number}`;
}
