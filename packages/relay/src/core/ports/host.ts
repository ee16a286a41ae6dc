import type { DaemonStart, DaemonStatus } from '@agent-relay/protocol';
import type { Workspace } from './store/workspaces.ts';

/** What the domain needs from its process. */
export interface Host {
  status(): Pick<DaemonStatus, 'version' | 'pid' | 'startedAt' | 'http' | 'mcp' | 'servers' | 'unserved'>;
  startedWith(): DaemonStart;
  /** Where the dashboard is served, without a path; undefined where it is not. */
  page(): string | undefined;
  /**
   * Opens the local socket of a workspace under its current name; returns the path. If it is already open:
   * the same path, whatever its name; if it could not be opened before: another try.
   */
  openSocket(workspace: Workspace): Promise<string>;
  socketPath(workspace: Workspace): string | undefined;
  /** The workspace was removed: closes its socket and deletes the tokens of its agents. */
  forget(workspace: Workspace): Promise<void>;
}
