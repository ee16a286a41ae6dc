import type { DaemonStatus } from '@agent-relay/protocol';
import type { Workspace } from './store/workspaces.ts';

/** What the domain asks of the process it runs in. */
export interface Host {
  status(): Pick<DaemonStatus, 'version' | 'pid' | 'startedAt' | 'http' | 'mcp' | 'servers' | 'unserved'>;
  /** Where the dashboard is served, without a path; undefined where it is not. */
  page(): string | undefined;
  /**
   * Makes a workspace reachable through its local socket, by the name it has now; the path. Again for one that is open:
   * the same path, whatever it is called; for one that could not be opened: another try.
   */
  openSocket(workspace: Workspace): Promise<string>;
  socketPath(workspace: Workspace): string | undefined;
  /** The workspace is no more: nobody finds it, and nothing is kept for its agents. */
  forget(workspace: Workspace): Promise<void>;
}
