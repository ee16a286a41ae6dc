import type { DaemonStatus } from '@agent-relay/protocol';
import type { Workspace } from './store/workspaces.ts';

/** What the domain asks of the process it runs in. */
export interface Host {
  status(): Pick<DaemonStatus, 'version' | 'pid' | 'startedAt' | 'http' | 'mcp' | 'servers' | 'unserved'>;
  /**
   * Makes a workspace reachable through its local socket; its path. Again for one that is open: the same path; for one
   * that could not be opened: another try.
   */
  openSocket(workspace: Workspace): Promise<string>;
  socketPath(workspace: Workspace): string | undefined;
  /**
   * The workspace has another name than `before`: its socket is where that name says. Connections that exist go on, and
   * local clients that look for the old name are told the new one.
   */
  moveSocket(workspace: Workspace, before: string): Promise<string>;
  closeSocket(workspace: Workspace): Promise<void>;
}
