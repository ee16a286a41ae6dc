import type { z } from 'zod';
import { actionOperations } from './actions.ts';
import { agentOperations } from './agents.ts';
import { attachmentOperations } from './attachments.ts';
import { callOperations } from './calls.ts';
import { channelOperations } from './channels.ts';
import { consentOperations } from './consents.ts';
import { dashboardOperations } from './dashboard.ts';
import { messageOperations } from './messages.ts';
import { promptOperations } from './prompts.ts';
import { serverOperations } from './servers.ts';
import { terminalOperations } from './terminals.ts';
import { workspaceOperations } from './workspaces.ts';

/**
 * Every request a client can make: the envelope's `type`, the schema of its payload, the type of its result.
 * A request is answered by one ACK whose payload is `{id: <the request's id>, …result}`, or by one ERROR.
 */
export const OPERATIONS = {
  ...messageOperations,
  ...channelOperations,
  ...agentOperations,
  ...callOperations,
  ...consentOperations,
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

export type { ActionDefinition, ActionInfo } from './actions.ts';
export type { AgentInfo, AgentOffer, OfferedTool, PathInfo } from './agents.ts';
export type {
  CallPayload,
  CallProgress,
  CallResultPayload,
  ServedCallPayload,
} from './calls.ts';
export type { ChannelInfo } from './channels.ts';
export type { ConsentOutcome } from './consents.ts';
export type { PageSessionInfo } from './dashboard.ts';
export type {
  ConversationInfo,
  DeliveryTrace,
  HeldInfo,
  HistoryMessage,
  HoldTrace,
  Reaction,
  SearchHit,
  SendResult,
} from './messages.ts';
export type { PromptAnswer, PromptAsk, PromptInfo } from './prompts.ts';
export type { ServerInfo, ServerTool } from './servers.ts';
export type {
  LeftWorktree,
  ProcessRef,
  RunChoices,
  RunExit,
  RunInfo,
  RunState,
  WorkerResult,
} from './terminals.ts';
export type {
  AuditEntry,
  DaemonStart,
  DaemonStatus,
  KeyInfo,
  McpServerStatus,
  WorkspaceInfo,
} from './workspaces.ts';
