import type { HeldMessage } from '../../core/ports/messaging-store.ts';
import type { Appended } from '../../core/ports/store.ts';
import { draftValues, findDuplicate } from '../append.ts';
import { rows, type Script } from './script.ts';

const HELD = `id, workspace_id AS "workspaceId", sender_name AS "senderName", reason, held_at AS "heldAt", draft, shown`;

type HeldRow = Omit<HeldMessage, 'draft' | 'shown'> & { draft: string; shown: string };

const toHeld = (row: HeldRow): HeldMessage => ({
  ...row,
  draft: JSON.parse(row.draft),
  shown: JSON.parse(row.shown),
});

export const queries = {
  *findHeld(id: string): Script<HeldMessage | undefined> {
    const [row] = yield* rows<HeldRow>(`SELECT ${HELD} FROM held WHERE id = ?`, [id]);
    return row && toHeld(row);
  },

  *listHeld(workspaceId: number): Script<HeldMessage[]> {
    const found = yield* rows<HeldRow>(
      `SELECT ${HELD} FROM held WHERE workspace_id = ? ORDER BY held_at, id`,
      [workspaceId],
    );
    return found.map(toHeld);
  },
};

export const commands = {
  *holdMessage(held: HeldMessage): Script<Appended | undefined> {
    const stored = yield* findDuplicate(draftValues(held.draft));
    if (stored) return stored;
    yield* rows(
      `INSERT INTO held (id, workspace_id, sender_name, reason, held_at, draft, shown)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
      [
        held.id,
        held.workspaceId,
        held.senderName,
        held.reason,
        held.heldAt,
        JSON.stringify(held.draft),
        JSON.stringify(held.shown),
      ],
    );
    return undefined;
  },

  *takeHeld(workspaceId: number, ids: string[]): Script<HeldMessage[]> {
    const taken = yield* rows<HeldRow>(
      `DELETE FROM held WHERE workspace_id = ? AND id IN {{texts}} RETURNING ${HELD}`,
      [workspaceId, JSON.stringify(ids)],
    );
    return taken.map(toHeld).sort((one, other) => one.heldAt - other.heldAt || (one.id < other.id ? -1 : 1));
  },
};
