import type { RelayError } from '@agent-relay/protocol';

export interface StoreOptions {
  /** Names the daemon that uses it: another one is refused until this one has ended. Without it, several may share it. */
  daemon?: string;
  /** Called when the database can no longer be trusted: the process must exit. */
  onFatal: (error: RelayError) => void;
}
