import type { Prompt } from '../framework/prompt.ts';
import { playsRoles, type Toolset } from '../framework/toolset.ts';
import { relayProtocol } from './relay-protocol.ts';
import { coordinateTask, handoffWork, statusReport } from './teamwork.ts';

/** Sessions with roles only know the roles, so prompts about agents and channels do not apply. */
export const promptsFor = (toolsets: readonly Toolset[]): readonly Prompt[] =>
  playsRoles(toolsets) ? [relayProtocol] : [relayProtocol, coordinateTask, handoffWork, statusReport];
