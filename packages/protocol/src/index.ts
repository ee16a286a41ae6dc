// The vocabulary without the schemas: what a client needs, quick to load. The schemas are in `@agent-relay/protocol/schemas`.
export * from './address.ts';
export * from './browser-name.ts';
export * from './envelope.ts';
export * from './errors.ts';
export * from './frames.ts';
export * from './ids.ts';
export * from './issue-text.ts';
export * from './json-depth.ts';
export * from './names.ts';
export type * from './operations.ts';
export type * from './payloads.ts';
export * from './reasons.ts';
export * from './repeatable.ts';
export * from './sender.ts';
export * from './text.ts';
export * from './time.ts';
export type { TransferRecord } from './transfer.ts';
export * from './vocabulary.ts';
