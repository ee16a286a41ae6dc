import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { agentOf, inboxOf, recordOf } from '../../../../../test/store/contract/world.ts';
import { COUNTED_INVOCATIONS, OLD_INVOCATIONS } from '../../../../../test/store/old-invocations.ts';
import { ANNS_TOOLS, OLD_AGENTS } from '../../../../../test/store/old-tools.ts';
import type { Invocation } from '../../core/ports/store/invocations.ts';
import { findDuplicate } from '../append.ts';
import { SQLITE } from '../dialects.ts';
import { MIGRATIONS, migrate } from '../migrations/index.ts';
import { commands, queries } from '../scripts/index.ts';
import { inWordsOf, rows, runScript, type Script } from '../scripts/script.ts';
import { Database } from './database.ts';
import { toFailure } from './failures.ts';
import { Writer } from './writer.ts';

const directory = mkdtempSync(join(tmpdir(), 'relay-writer-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const newConnection = () => Database.forWriting(join(directory, `relay-${++files}.db`));
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
    expect(pragma('secure_delete')).toBe(1);
    connection.close();
  });
});

describe('a full disk', () => {
  const workspace = (name: string): [string, unknown] => [
    'createWorkspace',
    { name, root: 'x'.repeat(100_000), createdAt: 1 },
  ];

  it('fails the whole batch, keeps existing data, and recovers when there is space again', () => {
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
  it('are fatal if it is unknown what reached the disk', () => {
    const ioErrorOnFsync = 10 | (4 << 8);
    const ioErrorOnRead = 10 | (1 << 8);
    expect(toFailure(sqliteError(ioErrorOnFsync))).toMatchObject({ code: 'StoreUnavailable', fatal: true });
    expect(toFailure(sqliteError(ioErrorOnRead))).toMatchObject({ code: 'StoreUnavailable', fatal: false });
  });
});

describe('the schema', () => {
  it('is upgraded from every older version', () => {
    for (let version = 0; version < MIGRATIONS.length; version++) {
      const connection = newConnection();
      connection.transaction(() => connection.run(migrate(SQLITE, version)));
      const writer = new Writer(connection);
      writer.run([['createWorkspace', { name: 'p', root: undefined, createdAt: 1 }]]);
      expect(connection.run(queries.listWorkspaces())).toHaveLength(1);
      writer.close();
    }
  });

  it('of a version before projects had directories uses their names as directories', () => {
    const connection = newConnection();
    connection.transaction(() => connection.run(migrate(SQLITE, 2)));
    connection.run(
      rows("INSERT INTO workspaces (name, former_names, created_at) VALUES ('shop', '[\"demo\"]', 1)"),
    );
    const writer = new Writer(connection);
    expect(connection.run(queries.listWorkspaces())).toMatchObject([
      { name: 'shop', directory: 'shop', formerNames: ['demo'] },
    ]);
    writer.close();
  });

  it('of a version that stored tools with their agents keeps all tools within the limits', () => {
    const connection = newConnection();
    connection.transaction(() => connection.run(migrate(SQLITE, 3)));
    for (const statement of OLD_AGENTS) connection.run(rows(statement));
    const writer = new Writer(connection);
    expect(connection.run(queries.toolsOf(1))).toEqual(ANNS_TOOLS);
    expect(connection.run(queries.toolsOf(2))).toEqual([]);
    expect(connection.run(queries.listAgents(1))).toMatchObject([{ name: 'Ann' }, { name: 'Big' }]);
    writer.close();
  });

  it('of a version that did not count the bytes of invocations counts them per account', () => {
    const connection = newConnection();
    connection.transaction(() => connection.run(migrate(SQLITE, 12)));
    for (const statement of OLD_INVOCATIONS) connection.run(rows(statement));
    const writer = new Writer(connection);
    const accounts = 'SELECT id, account, bytes FROM invocations ORDER BY id';
    expect(connection.run(rows(accounts))).toEqual(COUNTED_INVOCATIONS);
    writer.close();
  });

  it('of a newer program is refused', () => {
    const connection = newConnection();
    new Writer(connection);
    connection.run(rows('INSERT INTO schema_version (version) VALUES (?)', [MIGRATIONS.length + 1]));
    expect(failureOf(() => new Writer(connection))).toMatchObject({
      code: 'DatabaseUnusable',
      next: expect.stringContaining('Update agent-relay'),
    });
    connection.close();
  });

  it('does not allow changes of audit records', () => {
    const connection = newConnection();
    const writer = new Writer(connection);
    writer.run([
      ['createWorkspace', { name: 'p', root: undefined, createdAt: 1 }],
      ['appendAudit', recordOf(1)],
    ]);
    expect(() => connection.run(rows('DELETE FROM audit'))).toThrow('append-only');
    expect(() => connection.run(rows("UPDATE audit SET actor = 'nobody'"))).toThrow('append-only');
    writer.close();
  });
});

const ERROR = { code: 'CalleeGone', message: '', next: '', retryable: false };
const INVOCATION: Invocation = {
  ...{ workspaceId: 1, id: 'a', action: 'vote', owner: 'Ann', ownerId: 1, callerId: 1, input: {}, node: 'n' },
  account: 'agent 1',
  caller: { type: 'agent', id: '1', name: 'Ann' },
  status: 'invoked',
  invokedAt: 1,
  ...{ endedAt: undefined, result: undefined, error: undefined },
};

describe('no statement reads a whole table', () => {
  const agent = { id: 1 } as Parameters<typeof inboxOf>[0];
  const history = (more: object) =>
    queries.history({ workspaceId: 1, viewer: undefined, limit: 10, ...more });
  const search = (more: object) =>
    queries.searchIndexed({ workspaceId: 1, viewer: undefined, text: 'word', limit: 10, ...more });
  const exported = (...cursor: Array<string | number>) => queries.exportPage(1, JSON.stringify(cursor), 10);

  /** What is asked, and the index that must answer where there is a choice. */
  const everything: Record<string, [script: Script<unknown>, index?: string]> = {
    'unread page': [queries.inbox(inboxOf(agent)), 'deliveries_unread'],
    'unread page of a sender': [queries.inbox(inboxOf(agent, { fromId: 2 })), 'deliveries_unread'],
    'newest page': [queries.inbox(inboxOf(agent, { unreadOnly: false, take: 'newest' })), 'deliveries_read'],
    'newest page of a sender': [
      queries.inbox(inboxOf(agent, { unreadOnly: false, take: 'newest', fromId: 2 })),
    ],
    'newest page of a conversation': [
      queries.inbox(inboxOf(agent, { unreadOnly: false, conversationId: 2 })),
    ],
    'unread page of a thread': [queries.inbox(inboxOf(agent, { thread: 't' })), 'messages_by_thread'],
    'unread count': [queries.countUnread(1, 1), 'COVERING INDEX deliveries_unread'],
    'deliveries by id': [queries.deliveredSeqs(1, ['a'])],
    'deliveries of a message': [queries.deliveriesOf(1)],
    'message by id': [queries.visibleMessage(undefined, 1, 'a')],
    'message by its name for retries': [queries.hasSent(1, 'a')],
    'messages of a workspace': [queries.listMessages({ workspaceId: 1, after: 0, limit: 1 })],
    'last number': [queries.lastSeq(1)],
    reply: [
      queries.findReply({
        senderId: 1,
        recipientId: 2,
        after: 0,
        question: { seq: 1, id: 'a', thread: 't' },
      }),
    ],
    'history of a workspace': [history({}), 'messages_by_workspace'],
    'history of a conversation': [history({ conversationId: 2 }), 'messages_by_conversation'],
    'history of a thread': [history({ thread: 't' }), 'messages_by_thread'],
    'history of a thread for an agent': [history({ thread: 't', viewer: 1 }), 'messages_by_thread'],
    'history of an agent': [
      history({ involvingId: 1 }),
      'SEARCH a USING PRIMARY KEY (sender_id=? AND workspace_id=?',
    ],
    'history for an agent': [
      history({ viewer: 1 }),
      'SEARCH d USING COVERING INDEX deliveries_read (recipient_id=? AND message_seq>?',
    ],
    'history of its channels': [
      history({ viewer: 1 }),
      'messages_by_conversation (conversation_id=? AND seq>?',
    ],
    'history of what is not indexed': [history({ viewer: 1 }), 'SEARCH m USING INTEGER PRIMARY KEY (rowid>?'],
    'history since a time': [history({ viewer: 1, involvingId: 2, since: 1 })],
    'message for an agent': [queries.visibleMessage(1, 1, 'a')],
    'attachment for an agent': [queries.visibleAttachment(1, 1, 'a')],
    'content of a file': [queries.readContent('a', 0, 1)],
    'bytes of files': [queries.attachmentUse(1)],
    'bytes of files of an account': [queries.attachmentUse(1, 'key 1')],
    tools: [queries.toolsOf(1)],
    'names of tools': [queries.toolNames([1, 2])],
    'owners of a tool': [queries.toolOwners(1, 'add'), 'agent_tools_by_name'],
    invocation: [queries.findInvocation(1, 'a')],
    'invocations of a workspace': [queries.listInvocations(1, undefined, 10), 'invocations_by_time'],
    'invocations of an agent': [queries.listInvocations(1, 1, 10), 'invocations_by_owner'],
    'invocations that were left open': [commands.loseInvocations('n', 1, ERROR), 'invocations_open'],
    'invocation that begins': [commands.beginInvocation(INVOCATION, recordOf(1))],
    'invocation that ends': [
      commands.endInvocation({ ...INVOCATION, id: 'open', endedAt: 1 }, recordOf(1), {
        invocations: 1,
        invocationBytes: 1,
      }),
      'COVERING INDEX invocations_ended',
    ],
    search: [search({})],
    'search for an agent': [search({ viewer: 1, since: 1, until: 2, senderId: 2 })],
    'counts of messages': [
      queries.countMessages({ workspaceId: 1, from: 1, until: 2 }),
      'SEARCH message_counts USING PRIMARY KEY (workspace_id=? AND minute>? AND minute<?)',
    ],
    'counts of messages that are not indexed': [
      queries.countMessages({ workspaceId: 1, senderId: 1, from: 1, until: 2 }),
      'messages_by_workspace (workspace_id=? AND seq>?)',
    ],
    'readers of a message': [queries.readers(1)],
    'reactions of messages': [queries.reactionsOf([1])],
    'conversations of an agent': [queries.directConversations(1, 10, 1), 'INDEX deliveries_unread'],
    'channels of a workspace': [queries.listChannels(1)],
    'members of a workspace': [queries.listMemberships(1)],
    'held messages': [queries.listHeld(1)],
    'held message': [queries.findHeld('id')],
    grant: [queries.hasGrant(1, 1)],
    'export of agents': [exported(0, 1)],
    'export of members': [exported(2, 1, 1)],
    'export of messages': [exported(6, 1)],
    'export of deliveries': [exported(7, 1, 1)],
    'export of reactions': [exported(8, 1, 1, '')],
    'agent by name': [queries.findAgent(1, 'a')],
    'agent by token': [queries.findAgentByToken('a')],
    'agents of a workspace': [queries.listAgents(1)],
    audit: [queries.listAudit(1, 1)],
    observation: [commands.observe([{ recipientId: 1, seq: 1, state: 'acked', path: undefined, at: 1 }])],
    duplicate: [
      findDuplicate([1, 'c', 1, null, 1, 'id', 'body', null, null, 'free', 'normal', 0, 0, 1, null, null]),
    ],
    indexing: [commands.indexForSearch(10)],
    redaction: [commands.redactMessage(1, 1)],
    retention: [commands.deleteMessagesBefore(2, 10)],
    'removal of messages': [commands.emptyWorkspace(1, 10)],
    'name of an agent': [commands.renameAgent(1, 'b', recordOf(1))],
    'member that joins': [commands.addMember(1, 1, 1)],
    'agent that goes': [commands.removeAgent(1, 1)],
  };
  /** Parts of the same statement, the index of words, and tables of one row or one row in a thousand messages. */
  const MAY_BE_READ =
    /^SCAN (json_each|part\d|parts|places|page|listed|measured|channel|found|counted|files|known|got|sent|talks|named|removed|\(subquery|search VIRTUAL|indexed|periods|CONSTANT)/;

  const connection = newConnection();
  const writer = new Writer(connection);
  writer.run([
    ['createWorkspace', { name: 'p', root: undefined, createdAt: 1 }],
    ['createAgent', agentOf(1)],
    ['createChannel', { workspaceId: 1, name: 'general', createdBy: 'x', createdAt: 1 }],
    {
      values: [1, 'c', 1, null, 1, 'a', 'word', 't', null, 'free', 'normal', 0, 0, 1, null, null],
      recipients: [1],
    },
    ['indexForSearch', 1],
    ['beginInvocation', { ...INVOCATION, id: 'open' }, recordOf(1)],
  ]);
  afterAll(() => writer.close());

  const execute = (sql: string) => connection.execute({ sql, params: [] });

  /** The plans of all statements of a script, run on a small database that stays as it is. */
  const planOf = (script: Script<unknown>): string[] => {
    const plan: string[] = [];
    execute('BEGIN');
    runScript(script, (statement) => {
      const { sql, params } = inWordsOf(statement, 'sqlite');
      const steps = connection.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, params });
      plan.push(...steps.map(({ detail }) => String(detail)));
      return connection.execute(statement);
    });
    execute('ROLLBACK');
    return plan;
  };

  it.each(Object.entries(everything))('%s', (_, [script, index]) => {
    const plan = planOf(script);
    expect(plan.filter((line) => line.startsWith('SCAN') && !MAY_BE_READ.test(line))).toEqual([]);
    if (index !== undefined) expect(plan.join('\n')).toContain(index);
  });
});
