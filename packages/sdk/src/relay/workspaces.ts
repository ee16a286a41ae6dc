import type { OperationResult, TransferRecord } from '@agent-relay/protocol';
import type { ClientSession } from '../connection/client-session.ts';

/** Workspace administration, for the owner. */
export class Workspaces {
  readonly #session: ClientSession;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  /** Its socket and its connections stay. */
  rename(workspace: string, name: string): Promise<OperationResult<'WORKSPACE_RENAME'>> {
    return this.#session.request('WORKSPACE_RENAME', { workspace, name });
  }

  /** Everything in the workspace this client is connected to, page by page, in a stable order. */
  async *export(): AsyncGenerator<TransferRecord[], void, void> {
    let cursor: string | undefined;
    do {
      const page = await this.#session.request('EXPORT', { cursor });
      yield page.records;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /** Adds the records of an export, in order; existing records stay as they are. */
  import(records: TransferRecord[]): Promise<OperationResult<'IMPORT'>> {
    return this.#session.request('IMPORT', { records });
  }

  /** Deletes a workspace with everything in it. */
  async remove(workspace: string): Promise<void> {
    await this.#session.request('WORKSPACE_REMOVE', { workspace });
  }
}
