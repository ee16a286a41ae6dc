import type { Appended } from '../../core/ports/store/messages.ts';
import { DRAFT_COLUMNS, takenBy } from '../append.ts';
import { SQLITE } from '../dialects.ts';
import { migrate } from '../migrations/index.ts';
import { commands, scriptOf } from '../scripts/index.ts';
import type { Database } from './database.ts';
import { isOwnFault, toFailure } from './failures.ts';
import { filesOf } from './files.ts';
import { commands as shrinking } from './shrink.ts';
import type { AppendCall, BatchResult, Call } from './threads.ts';

const INSERT_MESSAGE = `INSERT INTO messages (${DRAFT_COLUMNS.join(', ')})
  VALUES (${DRAFT_COLUMNS.map(() => '?').join(', ')}) ON CONFLICT (client_id, sender_id) DO NOTHING`;
const INSERT_DELIVERY = `INSERT INTO deliveries
  (recipient_id, message_seq, sender_id, conversation_id, expires_at, mentioned) VALUES (?, ?, ?, ?, ?, ?)`;
const SELECT_WORKSPACE = `SELECT id FROM agents
  WHERE workspace_id = ? AND removed_at IS NULL AND type <> 'system' AND id <> ? ORDER BY id`;
const SELECT_MEMBERS = `SELECT agents.id FROM members JOIN agents ON agents.id = members.agent_id
  WHERE members.conversation_id = ? AND members.present = 1 AND agents.removed_at IS NULL AND agents.id <> ?
  ORDER BY agents.id`;
const INSERT_ATTACHED =
  'INSERT INTO message_attachments (message_seq, attachment_id) VALUES (?, ?) ON CONFLICT DO NOTHING';

const COMMANDS = { ...commands, ...shrinking };

/** After these no file may contain the text; SQLite overwrites deleted data in the database, not in its log. */
const ERASING = new Set(['redactMessage', 'dropWorkspace']);
/** Freed space leaves the files with a checkpoint, too. */
const endsLog = (call: Call, result: unknown): boolean =>
  Array.isArray(call) && (ERASING.has(call[0]) || (call[0] === 'shrink' && result === 0));

/** The writer: each batch is one transaction, synced to disk before its result is returned. */
export class Writer {
  readonly #connection: Database;
  /** Throws if the committed data is in a file that was deleted or replaced. */
  readonly #checkFiles: () => void;
  #logMustGo = false;

  constructor(connection: Database) {
    this.#connection = connection;
    connection.transaction(() => connection.run(migrate(SQLITE)));
    this.#checkFiles = filesOf(connection.path);
  }

  /** Throws only if the database fails; then nothing of the batch is stored, or it is in a deleted file. */
  run(calls: Call[]): BatchResult {
    const result = this.#runTogether(calls);
    this.#checkFiles();
    if (calls.some((call, index) => endsLog(call, result.values[index]))) this.#logMustGo = true;
    if (this.#logMustGo) this.#emptyLog();
    return result;
  }

  close(): void {
    this.#connection.close();
  }

  /** If it fails, the batch is still stored; the next one tries again. */
  #emptyLog(): void {
    try {
      this.#logMustGo = !this.#connection.emptyLog();
    } catch (error) {
      if (toFailure(error).fatal) throw error;
    }
  }

  #runTogether(calls: Call[]): BatchResult {
    try {
      return this.#connection.transaction(() => ({
        values: calls.map((call) => this.#apply(call)),
        failures: [],
      }));
    } catch (error) {
      if (!isOwnFault(error)) throw error;
    }
    return this.#runOneByOne(calls);
  }

  /** The slow path, for a batch with a failing call: savepoints keep the others. */
  #runOneByOne(calls: Call[]): BatchResult {
    return this.#connection.transaction(() => {
      const result: BatchResult = { values: [], failures: [] };
      calls.forEach((call, index) => {
        try {
          result.values[index] = this.#connection.savepoint(() => this.#apply(call));
        } catch (error) {
          if (!isOwnFault(error)) throw error;
          result.failures.push({ index, failure: toFailure(error) });
        }
      });
      return result;
    });
  }

  #apply(call: Call): unknown {
    return Array.isArray(call) ? this.#connection.run(scriptOf(COMMANDS, call)) : this.#append(call);
  }

  #append({ values, recipients, mentioned, attached }: AppendCall): number | Appended {
    const connection = this.#connection;
    const inserted = connection.prepare(INSERT_MESSAGE).run(...values);
    if (inserted.changes === 0) return connection.run(takenBy(values));
    const seq = Number(inserted.lastInsertRowid);
    const [senderId, , conversationId, expiresAt, workspaceId, id, , thread] = values;
    const audience =
      recipients === 'members'
        ? this.#ids(SELECT_MEMBERS, conversationId, senderId)
        : recipients === 'workspace'
          ? this.#ids(SELECT_WORKSPACE, workspaceId, senderId)
          : recipients;
    const insertDelivery = connection.prepare(INSERT_DELIVERY);
    for (const recipientId of audience) {
      const marked = mentioned?.includes(recipientId) ? 1 : 0;
      insertDelivery.run(recipientId, seq, senderId, conversationId, expiresAt, marked);
    }
    for (const attachmentId of attached ?? []) connection.prepare(INSERT_ATTACHED).run(seq, attachmentId);
    if (audience === recipients) return seq;
    return { seq, id, thread: thread ?? undefined, recipients: audience, duplicate: 'no' };
  }

  #ids(sql: string, ...params: number[]): number[] {
    return this.#connection
      .prepare(sql)
      .all(...params)
      .map((row) => row.id as number);
  }
}
