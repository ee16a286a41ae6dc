export {
  type ActionInfo,
  type AgentInfo,
  type AgentOffer,
  type AttachmentInfo,
  type CallProgress,
  type Capability,
  type ChannelInfo,
  type ConsentOutcome,
  type ConversationInfo,
  type DaemonStatus,
  type DeliveryTrace,
  type ErrorCode,
  type HeldInfo,
  type HistoryMessage,
  type HoldTrace,
  type InboxMessage,
  type InvocationInfo,
  isRelayError,
  type Message,
  type OfferedTool,
  type OperationInput,
  type OperationName,
  type OperationResult,
  type PromptAnswer,
  type PromptInfo,
  type Reaction,
  RelayError,
  type RelayEvent,
  type SearchHit,
  type SendResult,
  type ServerInfo,
  type ServerTool,
  type ToolCaller,
  type ToolDefinition,
  type TransferRecord,
  type WelcomePayload,
} from '@agent-relay/protocol';
export { type ConnectOptions, connect } from './connect.ts';
export type { ReconnectOptions } from './connection/backoff.ts';
export { webSocketUrl } from './connection/websocket.ts';
export type { OpenWire, Wire, WireEvents } from './connection/wire.ts';
export type {
  CallOptions,
  HistoryOptions,
  Inbox,
  InboxOptions,
  InvokeOptions,
  ParticipantOptions,
  RefusedTools,
  RelayEvents,
  ReplyOptions,
  SearchOptions,
  SendAndWaitOptions,
  SendOptions,
  WhoOptions,
} from './options.ts';
export type { ExposedTool, RegisteredAction, ToolCall } from './relay/calls/served-tools.ts';
export type { JsonSchema, ToolSchema } from './relay/calls/tool-schema.ts';
export type { Relay } from './relay/relay.ts';
export type { AttachOptions, TerminalView } from './relay/terminals/terminals.ts';
export type { SpawnOptions } from './relay/terminals/workers.ts';
