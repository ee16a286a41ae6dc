import { randomBytes } from 'node:crypto';
import { plainAgentName } from '@agent-relay/protocol';
import { type ParticipantOptions, type Relay, webSocketUrl } from '@agent-relay/sdk';
import { connect, type Environment, findDaemonSocket } from '@agent-relay/sdk/node';
import { VERSION } from '../version.ts';
import { HOOK_REASONS } from './hook-reasons.ts';
import { remoteTokenSource } from './remote-token.ts';

/** Connects a participant to the relay; it decides which daemon, and with which credentials. */
export type Connect = (profile: ParticipantOptions) => Promise<Relay>;

/** Options of every connection of an MCP server: reconnect quickly after a restart. */
const CONNECTION = {
  client: { name: 'agent-relay-mcp', version: VERSION },
  reconnect: { maxDelayMs: 500 },
  requestTimeoutMs: 10_000,
} as const satisfies ParticipantOptions;

/** The identity of the session: a name from the environment, or else named after its client. */
export function environmentProfile(env: Environment): ParticipantOptions {
  const name = environmentName(env);
  return {
    ...hooksOf(env),
    ...(name === undefined ? {} : { name }),
    ...(env.RELAY_AGENT_NAME && env.RELAY_AGENT_TOKEN ? { token: env.RELAY_AGENT_TOKEN } : {}),
    ...(env.RELAY_LEAD === '1' ? { lead: true } : {}),
  };
}

/** `RELAY_AGENT_NAME`. With hooks, which must know the name in advance, the default is the client's name. */
export const environmentName = (env: Environment): string | undefined =>
  env.RELAY_AGENT_NAME
    ? plainAgentName(env.RELAY_AGENT_NAME)
    : hooksOf(env).hooks && (env.RELAY_HOOKS || undefined);

/** The hooks that `mcp install --hooks` added with the server. */
function hooksOf({ RELAY_HOOKS = '' }: Environment): Pick<ParticipantOptions, 'hooks'> {
  const hooks = Object.hasOwn(HOOK_REASONS, RELAY_HOOKS) ? HOOK_REASONS[RELAY_HOOKS] : undefined;
  return hooks ? { hooks } : {};
}

/** A temporary name for one session. */
export const passingName = (prefix: string): string => `${prefix}-${randomBytes(3).toString('hex')}`;

/** The relay the environment points to: a workspace by its key, or the daemon of this user. */
export const environmentConnect = (env: Environment): Connect =>
  workspaceConnect(env, env.RELAY_WORKSPACE_KEY);

/** The daemon of this user, in any project. */
export const daemonConnect =
  (env: Environment): Connect =>
  async (profile) =>
    atSocket(env, { socketPath: await findDaemonSocket({ env }) })(profile);

/** A workspace by its key: at the daemon's URL if set, else on this user's daemon, over its local socket. */
export const workspaceConnect = (env: Environment, workspaceKey: string | undefined): Connect =>
  env.RELAY_URL
    ? atUrl(env.RELAY_URL, workspaceKey, env)
    : atSocket(env, workspaceKey ? { workspaceKey } : {});

function atSocket(env: Environment, way: { workspaceKey?: string; socketPath?: string }): Connect {
  const { RELAY_AGENT_NAME, RELAY_LEAD, RELAY_URL, ...rest } = env;
  return (profile) => connect({ ...CONNECTION, ...way, ...profile, env: rest });
}

const atUrl =
  (url: string, workspaceKey: string | undefined, env: Environment): Connect =>
  async (profile) => {
    const door = {
      ...CONNECTION,
      url: webSocketUrl(url),
      ...(workspaceKey ? { workspaceKey } : {}),
      env: { RELAY_CHANNELS: env.RELAY_CHANNELS },
    };
    const { name, ephemeral, token } = profile;
    if (name === undefined || ephemeral || token !== undefined) return connect({ ...door, ...profile });
    await using observer = await connect({ ...door, reconnect: false });
    const kept = await remoteTokenSource({ url: door.url, project: observer.project, name, env });
    return connect({ ...door, ...profile, token: kept });
  };
