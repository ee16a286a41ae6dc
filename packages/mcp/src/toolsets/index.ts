import type { Toolset } from '../framework/toolset.ts';
import { actionsToolset } from './actions/index.ts';
import { networkToolset } from './network/index.ts';
import { relayToolset } from './relay/index.ts';
import { rolesToolset } from './roles/index.ts';
import { workerToolset } from './worker/index.ts';
import { workspaceToolset } from './workspace/index.ts';

/** All toolsets by name; `roles` only if there are roles. */
export const knownToolsets = (roles: readonly string[]): ReadonlyMap<string, Toolset> => {
  const toolsets = [relayToolset, networkToolset, workspaceToolset, actionsToolset, workerToolset];
  if (roles.length > 0) toolsets.push(rolesToolset(roles));
  return new Map(toolsets.map((toolset) => [toolset.name, toolset]));
};
