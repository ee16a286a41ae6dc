import type { Toolset } from '../framework/toolset.ts';
import { networkToolset } from './network/index.ts';
import { relayToolset } from './relay/index.ts';
import { rolesToolset } from './roles/index.ts';
import { workspaceToolset } from './workspace/index.ts';

/** Every toolset there is, by name; the tools of `roles` depend on which roles there are. */
export const knownToolsets = (roles: readonly string[]): ReadonlyMap<string, Toolset> =>
  new Map(
    [relayToolset, networkToolset, workspaceToolset, rolesToolset(roles)].map((toolset) => [
      toolset.name,
      toolset,
    ]),
  );
