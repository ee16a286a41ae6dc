export {
  type AgentInfo,
  type DaemonStatus,
  type DeliveryTrace,
  type ErrorCode,
  type InboxMessage,
  isRelayError,
  type Message,
  type OperationInput,
  type OperationName,
  type OperationResult,
  RelayError,
  type SendResult,
  type WelcomePayload,
} from '@agent-relay/protocol';
export type { ReconnectOptions } from './backoff.ts';
export { type ConnectOptions, connect } from './connect.ts';
export type {
  Inbox,
  InboxOptions,
  ParticipantOptions,
  RelayEvents,
  SendAndWaitOptions,
  SendOptions,
  WhoOptions,
} from './options.ts';
export type { Relay } from './relay.ts';
export type { OpenWire, Wire, WireEvents } from './wire.ts';
