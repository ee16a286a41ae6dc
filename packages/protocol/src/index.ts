// The vocabulary without the schemas: what a client needs, quick to load. The schemas are in `@agent-relay/protocol/schemas`.

export * from './errors.ts';
export type * from './events.ts';
export * from './messages/authority.ts';
export * from './messages/consent-question.ts';
export type * from './messages/message.ts';
export * from './messages/reasons.ts';
export * from './messages/sender.ts';
export type { TransferRecord } from './messages/transfer.ts';
export * from './messages/waiting-note.ts';
export * from './names/address.ts';
export * from './names/browser-name.ts';
export * from './names/names.ts';
export type * from './operations/operations.ts';
export * from './text/for-model.ts';
export * from './text/issue-text.ts';
export * from './text/shell-word.ts';
export * from './text/text.ts';
export * from './text/time.ts';
export * from './tools/capability.ts';
export * from './tools/relay-tools.ts';
export * from './vocabulary.ts';
export * from './wire/envelope.ts';
export * from './wire/frames.ts';
export * from './wire/ids.ts';
export * from './wire/json-depth.ts';
export type * from './wire/payloads.ts';
export * from './wire/repeatable.ts';
