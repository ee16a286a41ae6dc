import type { OperationResult } from '@agent-relay/protocol';
import type { Session } from './session.ts';

/** What the owner may do to the workspaces of the daemon. */
export class Workspaces {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Its socket moves with its name; connections that exist go on. */
  rename(workspace: string, name: string): Promise<OperationResult<'WORKSPACE_RENAME'>> {
    return this.#session.request('WORKSPACE_RENAME', { workspace, name });
  }

  /** Deletes a workspace with everything in it. */
  async remove(workspace: string): Promise<void> {
    await this.#session.request('WORKSPACE_REMOVE', { workspace });
  }
}
