import type { Environment } from '@agent-relay/sdk/node';
import { ToolTable } from '../framework/tool-table.ts';
import { chooseToolsets, toolsetNames } from '../framework/toolset.ts';
import { environmentConnect, environmentProfile } from '../participant/identity.ts';
import { localMembership } from '../participant/membership.ts';
import { Participant } from '../participant/participant.ts';
import { DEFAULT_ROLES, Roles } from '../participant/roles.ts';
import { knownToolsets } from '../toolsets/index.ts';
import { type Desk, type Replies, relayCatalogue } from './desk.ts';

export interface LocalDeskOptions {
  /** Names of toolsets; if absent, `RELAY_TOOLS` decides, then `defaultTools`. */
  tools?: readonly string[];
  /** What this door serves if nobody chooses. Default: `relay`. */
  defaultTools?: readonly string[];
  /** Default: `process.env`. */
  env?: Environment;
}

/** A desk for one client of this user: the environment says who it is and where the relay is. */
export function localDesk(
  { tools, defaultTools = ['relay'], env = process.env }: LocalDeskOptions,
  replies: Replies,
  onerror: (error: unknown) => void,
): Desk {
  const roleNames = toolsetNames(env.RELAY_ROLES ?? '');
  const roles = roleNames.length > 0 ? roleNames : DEFAULT_ROLES;
  const chosen = tools ?? (env.RELAY_TOOLS ? toolsetNames(env.RELAY_TOOLS) : defaultTools);
  const table = new ToolTable(chooseToolsets(chosen, knownToolsets(roles)));
  const connect = environmentConnect(env);
  return {
    catalogue: relayCatalogue(table),
    participant: new Participant(connect, environmentProfile(env)),
    roles: new Roles(roles, connect),
    membership: localMembership(env),
    replies,
    onerror,
  };
}
