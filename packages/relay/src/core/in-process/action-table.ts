import { actionKey } from '@agent-relay/protocol';
import type { ServedAction, ToolServer } from '../ports/directory.ts';

/** The actions of each workspace by key; of several connections that perform one, the last counts. */
export class ActionTable {
  readonly #byWorkspace = new Map<number, Map<string, ServedAction[]>>();

  replace(server: ToolServer): void {
    const { id, workspaceId, actions } = server;
    const table = this.#byWorkspace.get(workspaceId) ?? new Map<string, ServedAction[]>();
    for (const [key, served] of table) {
      const others = served.filter((one) => one.server.id !== id);
      if (others.length === 0) table.delete(key);
      else if (others.length < served.length) table.set(key, others);
    }
    for (const action of actions) {
      const key = actionKey(action.name);
      table.set(key, [...(table.get(key) ?? []), { server, action }]);
    }
    if (table.size > 0) this.#byWorkspace.set(workspaceId, table);
    else this.#byWorkspace.delete(workspaceId);
  }

  find(workspaceId: number, key: string): ServedAction | undefined {
    return this.#byWorkspace.get(workspaceId)?.get(key)?.at(-1);
  }

  list(workspaceId: number): ServedAction[] {
    return [...(this.#byWorkspace.get(workspaceId)?.values() ?? [])].flatMap((served) => served.at(-1) ?? []);
  }
}
