import { checkAgentName } from '@agent-relay/protocol';
import { RelayError } from '@agent-relay/sdk';
import type { Environment } from '@agent-relay/sdk/node';
import { ToolTable } from '../framework/tool-table.ts';
import { chooseToolsets, GATEWAY_TOOLSET, type Toolset, toolsetNames } from '../framework/toolset.ts';
import { environmentConnect, environmentProfile, passingName } from '../participant/identity.ts';
import { localMembership } from '../participant/membership.ts';
import { Participant } from '../participant/participant.ts';
import { DEFAULT_ROLES, Roles } from '../participant/roles.ts';
import { knownToolsets } from '../toolsets/index.ts';
import { type ClientContext, type Replies, relayOffering } from './client-context.ts';

export interface LocalContextOptions {
  /** Names of toolsets; if absent, `RELAY_TOOLS` decides, then `defaultTools`. */
  tools?: readonly string[];
  /** What this door serves if nobody chooses. Default: `relay`. */
  defaultTools?: readonly string[];
  /** Default: `process.env`. */
  env?: Environment;
}

/** The toolsets for one client of this user. */
export function localToolsets({
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
  return names.length > 0 ? names.map(checkAgentName) : DEFAULT_ROLES;
}

/** A context for one client of this user: the environment says who it is and where the relay is. */
export function localClientContext(
  options: LocalContextOptions,
  replies: Replies,
  onerror: (error: unknown) => void,
): ClientContext {
  const { env = process.env } = options;
  const connect = environmentConnect(env);
  return {
    offering: relayOffering(new ToolTable(localToolsets(options))),
    participant: new Participant(connect, environmentProfile(env), passingName(`mcp-${process.pid}`)),
    roles: new Roles(rolesIn(env), connect),
    membership: localMembership(env),
    replies,
    onerror,
  };
}
