import type { Appended } from '../../core/ports/store.ts';
import { DRAFT_COLUMNS, findDuplicate } from '../append.ts';
import { SQLITE } from '../dialects.ts';
import { migrate } from '../migrations/index.ts';
import { commands, scriptOf } from '../scripts/index.ts';
import type { Connection } from './connection.ts';
import { isOwnFault, toFailure } from './failures.ts';
import type { AppendCall, BatchResult, Call } from './threads.ts';

const INSERT_MESSAGE = `INSERT INTO messages (${DRAFT_COLUMNS.join(', ')})
  VALUES (${DRAFT_COLUMNS.map(() => '?').join(', ')}) ON CONFLICT (sender_id, client_id) DO NOTHING`;
const INSERT_DELIVERY = `INSERT INTO deliveries (recipient_id, message_seq, sender_id, conversation_id, expires_at)
  VALUES (?, ?, ?, ?, ?)`;
const SELECT_AUDIENCE =
  'SELECT id FROM agents WHERE workspace_id = ? AND removed_at IS NULL AND id <> ? ORDER BY id';

/** The one that writes: each batch is one transaction, synced to the disk before its result is returned. */
export class Writer {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.transaction(() => connection.run(migrate(SQLITE)));
  }

  /** Throws only if the database fails; then nothing of the batch is stored. */
  run(calls: Call[]): BatchResult {
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

  close(): void {
    this.#connection.close();
  }

  /** The slow way, for a batch with a call that fails: savepoints keep the others. */
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
    return Array.isArray(call) ? this.#connection.run(scriptOf(commands, call)) : this.#append(call);
  }

  #append({ values, recipients }: AppendCall): number | Appended {
    const connection = this.#connection;
    const inserted = connection.prepare(INSERT_MESSAGE).run(...values);
    if (inserted.changes === 0) return connection.run(findDuplicate(values));
    const seq = Number(inserted.lastInsertRowid);
    const [senderId, , conversationId, expiresAt, workspaceId, id, , thread] = values;
    const audience =
      recipients ??
      connection
        .prepare(SELECT_AUDIENCE)
        .all(workspaceId, senderId)
        .map((row) => row.id as number);
    const insertDelivery = connection.prepare(INSERT_DELIVERY);
    for (const recipientId of audience)
      insertDelivery.run(recipientId, seq, senderId, conversationId, expiresAt);
    if (recipients) return seq;
    return { seq, id, thread: thread ?? undefined, recipients: audience, duplicate: 'no' };
  }
}
