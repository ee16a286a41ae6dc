export * from '@agent-relay/protocol';
