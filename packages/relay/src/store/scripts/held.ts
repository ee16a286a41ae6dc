import type { HeldMessage, HeldSettlement } from '../../core/ports/store/held.ts';
import type { Appended } from '../../core/ports/store/messages.ts';
import { draftValues, findDuplicate } from '../append.ts';
import { rows, type Script } from './script.ts';

const HELD = `id, workspace_id AS "workspaceId", sender_name AS "senderName", reason, held_at AS "heldAt", draft, shown,
  outcome, settled_by AS "settledBy", settled_at AS "settledAt"`;

type HeldRow = Omit<HeldMessage, 'draft' | 'shown' | 'settled'> & { draft: string; shown: string } & (
    | { outcome: HeldSettlement['outcome']; settledBy: string; settledAt: number }
    | { outcome: null; settledBy: null; settledAt: null }
  );

const toHeld = ({ draft, shown, outcome, settledBy: by, settledAt: at, ...row }: HeldRow): HeldMessage => ({
  ...row,
  draft: JSON.parse(draft),
  shown: JSON.parse(shown),
  ...(outcome === null ? {} : { settled: { outcome, by, at } }),
});

export const queries = {
  *findHeld(id: string): Script<HeldMessage | undefined> {
    const [row] = yield* rows<HeldRow>(`SELECT ${HELD} FROM held WHERE id = ?`, [id]);
    return row && toHeld(row);
  },

  *listHeld(workspaceId: number): Script<HeldMessage[]> {
    const found = yield* rows<HeldRow>(
      `SELECT ${HELD} FROM held WHERE workspace_id = ? AND settled_at IS NULL ORDER BY held_at, id`,
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

  *settleHeld(id: string, { outcome, by, at }: HeldSettlement): Script<void> {
    const [waiting] = yield* rows<{ draft: string }>(
      'SELECT draft FROM held WHERE id = ? AND settled_at IS NULL',
      [id],
    );
    if (!waiting) return;
    // A copy of the text would outlive a redaction, or the decision to discard it.
    const emptied = { ...JSON.parse(waiting.draft), body: '', mentions: [], attachments: [] };
    yield* rows('UPDATE held SET draft = ?, outcome = ?, settled_by = ?, settled_at = ? WHERE id = ?', [
      JSON.stringify(emptied),
      outcome,
      by,
      at,
      id,
    ]);
  },
};
