import type { OperationName } from '@agent-relay/protocol';
import type { Host } from '../ports/host.ts';
import type { Relay } from '../relay.ts';
import { actionHandlers } from './actions.ts';
import { agentHandlers } from './agents.ts';
import type { Handlers } from './caller.ts';
import { callHandlers } from './calls.ts';
import { channelHandlers } from './channels.ts';
import { dashboardHandlers } from './dashboard.ts';
import { messageHandlers } from './messages.ts';
import { offerHandlers } from './offers.ts';
import { serverHandlers } from './servers.ts';
import { terminalHandlers } from './terminals.ts';
import { workspaceHandlers } from './workspaces.ts';

export type Operations = Handlers<OperationName>;

/** The handler of each operation. Parameters are already checked; identity comes from the caller, never from them. */
export const createOperations = (relay: Relay, host: Host): Operations => ({
  ...messageHandlers(relay),
  ...channelHandlers(relay),
  ...agentHandlers(relay),
  ...offerHandlers(relay),
  ...terminalHandlers(relay),
  ...callHandlers(relay),
  ...actionHandlers(relay),
  ...serverHandlers(relay),
  ...workspaceHandlers(relay, host),
  ...dashboardHandlers(relay, host),
});
