import type { PageSession } from '../../core/ports/store/page-sessions.ts';
import { orNull, rows, type Script } from './script.ts';

const SESSION = `id, workspace_id AS "workspaceId", hash, browser, created_at AS "createdAt", used_at AS "usedAt",
  expires_at AS "expiresAt"`;

type SessionRow = Omit<PageSession, 'browser'> & { browser: string | null };

const toSession = (row: SessionRow): PageSession => ({ ...row, browser: row.browser ?? undefined });

export const queries = {
  *findPageSession(id: string): Script<PageSession | undefined> {
    const [row] = yield* rows<SessionRow>(`SELECT ${SESSION} FROM page_sessions WHERE id = ?`, [id]);
    return row && toSession(row);
  },

  *listPageSessions(): Script<PageSession[]> {
    const found = yield* rows<SessionRow>(`SELECT ${SESSION} FROM page_sessions ORDER BY created_at, id`);
    return found.map(toSession);
  },
};

export const commands = {
  *addPageSession(session: PageSession): Script<void> {
    yield* rows(
      `INSERT INTO page_sessions (id, workspace_id, hash, browser, created_at, used_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [
        session.id,
        session.workspaceId,
        session.hash,
        orNull(session.browser),
        session.createdAt,
        session.usedAt,
        session.expiresAt,
      ],
    );
  },

  *touchPageSessions(ids: string[], at: number): Script<void> {
    for (const id of ids) yield* rows('UPDATE page_sessions SET used_at = ? WHERE id = ?', [at, id]);
  },

  *removePageSessions(ids: string[]): Script<PageSession[]> {
    const removed: PageSession[] = [];
    for (const id of ids) {
      const [row] = yield* rows<SessionRow>(`DELETE FROM page_sessions WHERE id = ? RETURNING ${SESSION}`, [
        id,
      ]);
      if (row) removed.push(toSession(row));
    }
    return removed;
  },

  *removeEndedPageSessions(now: number, usedBefore: number): Script<PageSession[]> {
    const removed = yield* rows<SessionRow>(
      `DELETE FROM page_sessions WHERE expires_at <= ? OR used_at < ? RETURNING ${SESSION}`,
      [now, usedBefore],
    );
    return removed.map(toSession);
  },
};
