import type { Workspace } from '../../core/ports/store/workspaces.ts';
import { detach, dropUnused } from './attachments.ts';
import { commands as audit } from './audit.ts';
import { removeCounts } from './counts.ts';
import { removeEntries } from './indexing.ts';
import { refreshPeriod, runsBefore } from './periods.ts';
import { rows, type Script } from './script.ts';

/** A broadcast has many deliveries: the maximum deleted at once, so that other writes do not wait long. */
const MAX_DELIVERIES = 20_000;

/** Deletes messages with everything that belongs to them: the first ones, up to a limit. Returns their numbers. */
function* erase(seqs: number[]): Script<number[]> {
  if (seqs.length === 0) return [];
  const counted = yield* rows<{ seq: number; deliveries: number }>(
    `SELECT m.seq, (SELECT count(*) FROM deliveries WHERE message_seq = m.seq) AS deliveries
     FROM messages AS m WHERE m.seq IN {{numbers}} ORDER BY m.seq`,
    [JSON.stringify(seqs)],
  );
  let deliveries = 0;
  const end = counted.findIndex((message, index) => {
    deliveries += message.deliveries;
    return index > 0 && deliveries > MAX_DELIVERIES;
  });
  const erased = (end === -1 ? counted : counted.slice(0, end)).map(({ seq }) => seq);
  const list = JSON.stringify(erased);
  yield* removeEntries(erased);
  yield* removeCounts(erased);
  yield* detach(erased);
  yield* rows('DELETE FROM reactions WHERE message_seq IN {{numbers}}', [list]);
  yield* rows('DELETE FROM deliveries WHERE message_seq IN {{numbers}}', [list]);
  yield* rows(
    `DELETE FROM authored WHERE (sender_id, workspace_id, message_seq) IN
       (SELECT sender_id, workspace_id, seq FROM messages WHERE seq IN {{numbers}})`,
    [list],
  );
  yield* rows('DELETE FROM messages WHERE seq IN {{numbers}}', [list]);
  return erased;
}

/** Files older than a time that were never sent, or whose messages were deleted. */
function* dropLeftFiles(before: number): Script<void> {
  const left = yield* rows<{ id: string }>(
    `SELECT id FROM attachments WHERE created_at < ? AND NOT EXISTS
       (SELECT 1 FROM message_attachments WHERE attachment_id = attachments.id)`,
    [before],
  );
  if (left.length > 0) yield* dropUnused(left.map(({ id }) => id));
}

export const commands = {
  *redactMessage(seq: number, at: number): Script<boolean> {
    const full = yield* rows('SELECT 1 AS yes FROM messages WHERE seq = ? AND redacted_at IS NULL', [seq]);
    if (full.length === 0) return false;
    yield* removeEntries([seq]);
    yield* detach([seq]);
    yield* rows('UPDATE deliveries SET mentioned = 0 WHERE message_seq = ? AND mentioned = 1', [seq]);
    yield* rows(
      `UPDATE messages SET body = '', mentions = NULL, attachments = NULL, redacted_at = ? WHERE seq = ?`,
      [at, seq],
    );
    return true;
  },

  *deleteMessagesBefore(before: number, limit: number): Script<number> {
    let deleted = 0;
    for (const { first, last } of yield* runsBefore(before)) {
      const found = yield* rows<{ seq: number }>(
        `SELECT seq FROM messages WHERE seq BETWEEN ? AND ? AND created_at < ? ORDER BY seq LIMIT ?`,
        [first, last, before, limit - deleted],
      );
      const erased = yield* erase(found.map(({ seq }) => seq));
      if (erased.length > 0) yield* refreshPeriod(first);
      deleted += erased.length;
      if (deleted === limit || erased.length < found.length) return deleted;
    }
    yield* dropLeftFiles(before);
    yield* rows('DELETE FROM held WHERE settled_at < ?', [before]);
    yield* rows('DELETE FROM invocations WHERE ended_at < ?', [before]);
    yield* rows('DELETE FROM runs WHERE ended_at < ?', [before]);
    return deleted;
  },

  /** The first step of removing a workspace; returns how many messages it deleted. */
  *emptyWorkspace(workspaceId: number, limit: number): Script<number> {
    const found = yield* rows<{ seq: number }>(
      'SELECT seq FROM messages WHERE workspace_id = ? ORDER BY seq LIMIT ?',
      [workspaceId, limit],
    );
    return (yield* erase(found.map(({ seq }) => seq))).length;
  },

  /** The last step. What its agents sent to other workspaces stays there, with their names. */
  *dropWorkspace({ id, name }: Workspace, at: number): Script<void> {
    while ((yield* commands.emptyWorkspace(id, 1000)) > 0);
    const conversations = '(SELECT id FROM conversations WHERE workspace_id = ?)';
    const agents = '(SELECT id FROM agents WHERE workspace_id = ?)';
    yield* rows(`DELETE FROM members WHERE conversation_id IN ${conversations}`, [id]);
    yield* rows(`DELETE FROM participants WHERE conversation_id IN ${conversations}`, [id]);
    yield* rows('DELETE FROM conversations WHERE workspace_id = ?', [id]);
    yield* rows('DELETE FROM held WHERE workspace_id = ?', [id]);
    yield* rows('DELETE FROM invocations WHERE workspace_id = ?', [id]);
    yield* rows('DELETE FROM runs WHERE workspace_id = ?', [id]);
    yield* rows(`DELETE FROM grants WHERE workspace_id = ? OR agent_id IN ${agents}`, [id, id]);
    yield* rows(`DELETE FROM agent_tools WHERE agent_id IN ${agents}`, [id]);
    const files = yield* rows<{ id: string }>('SELECT id FROM attachments WHERE workspace_id = ?', [id]);
    yield* dropUnused(files.map((file) => file.id));
    yield* rows('DELETE FROM workspace_keys WHERE workspace_id = ?', [id]);
    yield* rows('DELETE FROM page_sessions WHERE workspace_id = ?', [id]);
    yield* rows(
      `UPDATE agents SET workspace_id = NULL, removed_at = ?, token_hash = '', task = NULL, parent = NULL,
         capabilities = '[]'
       WHERE workspace_id = ? AND (EXISTS (SELECT 1 FROM authored WHERE sender_id = agents.id)
         OR EXISTS (SELECT 1 FROM messages WHERE seq > (SELECT seq FROM indexed) AND +sender_id = agents.id))`,
      [at, id],
    );
    yield* rows('DELETE FROM agents WHERE workspace_id = ?', [id]);
    yield* rows('DELETE FROM workspaces WHERE id = ?', [id]);
    yield* audit.appendAudit({
      workspaceId: id,
      at,
      actor: 'relay',
      action: 'workspace.removed',
      subject: name,
      detail: undefined,
    });
  },
};
