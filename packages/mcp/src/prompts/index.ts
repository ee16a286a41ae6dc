import type { Prompt } from '../framework/prompt.ts';
import { playsRoles, type Toolset } from '../framework/toolset.ts';
import { relayProtocol } from './relay-protocol.ts';
import { coordinateTask, handoffWork, statusReport } from './teamwork.ts';

/** Sessions in roles know nobody but the roles: the prompts about agents and channels are not for them. */
export const promptsFor = (toolsets: readonly Toolset[]): readonly Prompt[] =>
  playsRoles(toolsets) ? [relayProtocol] : [relayProtocol, coordinateTask, handoffWork, statusReport];
