import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findDuplicate } from '../append.ts';
import { inboxOf } from '../contract/world.ts';
import { SQLITE } from '../dialects.ts';
import { MIGRATIONS, migrate } from '../migrations/index.ts';
import { commands, queries } from '../scripts/index.ts';
import { inWordsOf, rows, type Script } from '../scripts/script.ts';
import { Connection } from './connection.ts';
import { toFailure } from './failures.ts';
import { Writer } from './writer.ts';

const directory = mkdtempSync(join(tmpdir(), 'relay-writer-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const newConnection = () => Connection.forWriting(join(directory, `relay-${++files}.db`));
const failureOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return toFailure(error);
  }
  return undefined;
};

describe('the writing connection', () => {
  it('syncs every commit to the disk', () => {
    const connection = newConnection();
    const pragma = (name: string) =>
      Object.values(connection.execute({ sql: `PRAGMA ${name}`, params: [] })[0] ?? {})[0];
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('synchronous')).toBe(2);
    expect(pragma('fullfsync')).toBe(1);
    expect(pragma('checkpoint_fullfsync')).toBe(1);
    expect(pragma('foreign_keys')).toBe(1);
    connection.close();
  });
});

describe('a full disk', () => {
  const workspace = (name: string): [string, unknown] => [
    'createWorkspace',
    { name, root: 'x'.repeat(100_000), createdAt: 1 },
  ];

  it('fails the whole batch as such, keeps what was there, and is over when there is space again', () => {
    const connection = newConnection();
    const writer = new Writer(connection);
    writer.run([workspace('before')]);
    const limit = (pages: number) =>
      connection.execute({ sql: `PRAGMA max_page_count = ${pages}`, params: [] });
    const names = () => connection.run(queries.listWorkspaces()).map(({ name }) => name);
    limit(1);
    expect(failureOf(() => writer.run([workspace('one'), workspace('two')]))).toMatchObject({
      code: 'DiskFull',
      fatal: false,
    });
    expect(names()).toEqual(['before']);
    limit(1_000_000);
    writer.run([workspace('after')]);
    expect(names()).toEqual(['before', 'after']);
    writer.close();
  });
});

describe('failures of SQLite', () => {
  const sqliteError = (errcode: number) => Object.assign(new Error('disk I/O error'), { errcode });
  it('are fatal when nobody knows what reached the disk', () => {
    const ioErrorOnFsync = 10 | (4 << 8);
    const ioErrorOnRead = 10 | (1 << 8);
    expect(toFailure(sqliteError(ioErrorOnFsync))).toMatchObject({ code: 'StoreUnavailable', fatal: true });
    expect(toFailure(sqliteError(ioErrorOnRead))).toMatchObject({ code: 'StoreUnavailable', fatal: false });
  });
});

describe('the schema', () => {
  it('is brought up to date from every older version', () => {
    for (let version = 0; version < MIGRATIONS.length; version++) {
      const connection = newConnection();
      connection.transaction(() => connection.run(migrate(SQLITE, version)));
      const writer = new Writer(connection);
      writer.run([['createWorkspace', { name: 'p', root: undefined, createdAt: 1 }]]);
      expect(connection.run(queries.listWorkspaces())).toHaveLength(1);
      writer.close();
    }
  });

  it('of a newer program is refused', () => {
    const connection = newConnection();
    new Writer(connection);
    connection.run(rows('INSERT INTO schema_version (version) VALUES (?)', [MIGRATIONS.length + 1]));
    expect(failureOf(() => new Writer(connection))).toMatchObject({
      code: 'StoreUnavailable',
      message: expect.stringContaining('Update agent-relay'),
    });
    connection.close();
  });

  it('lets nobody change the audit', () => {
    const connection = newConnection();
    const writer = new Writer(connection);
    writer.run([
      ['createWorkspace', { name: 'p', root: undefined, createdAt: 1 }],
      ['appendAudit', { workspaceId: 1, at: 1, actor: 'a', action: 'b', subject: 'c' }],
    ]);
    expect(() => connection.run(rows('DELETE FROM audit'))).toThrow('append-only');
    expect(() => connection.run(rows("UPDATE audit SET actor = 'nobody'"))).toThrow('append-only');
    writer.close();
  });
});

describe('no query reads a whole table', () => {
  const agent = { id: 1 } as Parameters<typeof inboxOf>[0];
  const everything: Record<string, Script<unknown>> = {
    'unread page': queries.inbox(inboxOf(agent)),
    'unread page of a sender': queries.inbox(inboxOf(agent, { fromId: 2 })),
    'newest page': queries.inbox(inboxOf(agent, { unreadOnly: false, take: 'newest' })),
    'newest page of a sender': queries.inbox(
      inboxOf(agent, { unreadOnly: false, take: 'newest', fromId: 2 }),
    ),
    'newest page of a conversation': queries.inbox(inboxOf(agent, { unreadOnly: false, conversationId: 2 })),
    'unread count': queries.countUnread(1, 1),
    'deliveries by id': queries.deliveredSeqs(1, ['a']),
    'deliveries of a message': queries.deliveriesOf(1),
    'message by id': queries.findMessage(1, 'a'),
    'messages of a workspace': queries.listMessages({ workspaceId: 1, after: 0, limit: 1 }),
    'last number': queries.lastSeq(1),
    reply: queries.findReply({ senderId: 1, recipientId: 2, after: 0, thread: 't', replyTo: 'a' }),
    'agent by name': queries.findAgent(1, 'a'),
    'agent by token': queries.findAgentByToken('a'),
    'agents of a workspace': queries.listAgents(1),
    audit: queries.listAudit(1, 1),
    observation: commands.observe([{ recipientId: 1, seq: 1, state: 'acked', path: undefined, at: 1 }]),
    duplicate: findDuplicate([
      1,
      'c',
      1,
      null,
      1,
      'id',
      'body',
      null,
      null,
      'free',
      'normal',
      0,
      1,
      null,
      null,
    ]),
  };
  const connection = newConnection();
  new Writer(connection);
  afterAll(() => connection.close());

  const planOf = (script: Script<unknown>): string[] => {
    const step = script.next();
    if (step.done) throw new Error('the script has no statement');
    const { sql, params } = inWordsOf(step.value, 'sqlite');
    return connection
      .execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, params })
      .map(({ detail }) => String(detail));
  };

  it.each(Object.entries(everything))('%s', (name, script) => {
    const plan = planOf(script);
    expect(plan.filter((line) => /^SCAN (?!json_each)/.test(line))).toEqual([]);
    if (name.startsWith('unread')) expect(plan[0]).toContain('deliveries_unread');
  });
});
