import type { z } from 'zod';
import { actionOperations } from './operations/actions.ts';
import { agentOperations } from './operations/agents.ts';
import { attachmentOperations } from './operations/attachments.ts';
import { callOperations } from './operations/calls.ts';
import { channelOperations } from './operations/channels.ts';
import { dashboardOperations } from './operations/dashboard.ts';
import { messageOperations } from './operations/messages.ts';
import { promptOperations } from './operations/prompts.ts';
import { serverOperations } from './operations/servers.ts';
import { terminalOperations } from './operations/terminals.ts';
import { workspaceOperations } from './operations/workspaces.ts';

/**
 * Every request a client can make: the envelope's `type`, the schema of its payload, the type of its result.
 * A request is answered by one ACK whose payload is `{id: <the request's id>, …result}`, or by one ERROR.
 */
export const OPERATIONS = {
  ...messageOperations,
  ...channelOperations,
  ...agentOperations,
  ...callOperations,
  ...actionOperations,
  ...serverOperations,
  ...attachmentOperations,
  ...terminalOperations,
  ...promptOperations,
  ...workspaceOperations,
  ...dashboardOperations,
} as const satisfies Record<string, { params: z.ZodType; result: unknown }>;

export type OperationName = keyof typeof OPERATIONS;
/** What a caller passes. */
export type OperationInput<N extends OperationName> = z.input<(typeof OPERATIONS)[N]['params']>;
/** What a handler gets: checked, with defaults filled in. */
export type OperationParams<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['params']>;
export type OperationResult<N extends OperationName> = (typeof OPERATIONS)[N]['result'];

export const isOperation = (type: string): type is OperationName => Object.hasOwn(OPERATIONS, type);

export type { ActionDefinition, ActionInfo } from './operations/actions.ts';
export type { AgentInfo, AgentOffer, OfferedTool, PathInfo } from './operations/agents.ts';
export type {
  CallPayload,
  CallProgress,
  CallResultPayload,
  ServedCallPayload,
} from './operations/calls.ts';
export type { ChannelInfo } from './operations/channels.ts';
export type { PageSessionInfo } from './operations/dashboard.ts';
export type {
  ConversationInfo,
  DeliveryTrace,
  HeldInfo,
  HistoryMessage,
  HoldTrace,
  Reaction,
  SearchHit,
  SendResult,
} from './operations/messages.ts';
export type { PromptAnswer, PromptInfo } from './operations/prompts.ts';
export type { ServerInfo, ServerTool } from './operations/servers.ts';
export type {
  ProcessRef,
  RunChoices,
  RunExit,
  RunInfo,
  RunState,
  WorkerResult,
} from './operations/terminals.ts';
export type {
  AuditEntry,
  DaemonStatus,
  KeyInfo,
  McpServerStatus,
  WorkspaceInfo,
} from './operations/workspaces.ts';
