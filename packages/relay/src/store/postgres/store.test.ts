import type { RelayError } from '@agent-relay/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../../test/kit/postgres.ts';
import { NOW, newWorld, unique } from '../../../../../test/store/contract/world.ts';
import { storeContract } from '../../../../../test/store/contract.ts';
import { COUNTED_INVOCATIONS, OLD_INVOCATIONS } from '../../../../../test/store/old-invocations.ts';
import { ANNS_TOOLS, OLD_AGENTS } from '../../../../../test/store/old-tools.ts';
import type { Store } from '../../core/ports/store.ts';
import { POSTGRES } from '../dialects.ts';
import { MIGRATIONS, migrate } from '../migrations/index.ts';
import { openStore } from '../open.ts';
import { connect, query, run } from './database.ts';
import { OnlyDaemon } from './only-daemon.ts';

let server: PostgresServer;
let shared: string;
beforeAll(async () => {
  server = await startPostgres();
  shared = await server.createDatabase('contract');
});
afterAll(() => server.stop());

const onFatal = (error: Error) => {
  throw error;
};
const open = (url: string) => openStore(url, { onFatal });
const newDatabase = () => server.createDatabase(unique('database'));

/** Runs statements beside the store, as an administrator would. */
async function administer(url: string, ...statements: string[]): Promise<unknown[]> {
  const pool = connect(url, 1);
  try {
    const results = [];
    for (const statement of statements) results.push(...(await query(pool, statement)));
    return results;
  } finally {
    await pool.end();
  }
}

storeContract('postgres', {
  open: () => open(shared),
  async afterCrash(store) {
    await store.close();
    return open(shared);
  },
});

describe('two stores on one PostgreSQL database', () => {
  const opened: Store[] = [];
  afterAll(() => Promise.all(opened.map((store) => store.close())));
  const openTwo = async () => {
    const url = await newDatabase();
    const both = (await Promise.all([open(url), open(url)])) as [Store, Store];
    opened.push(...both);
    return both;
  };

  it('can start at the same time on an empty database', async () => {
    const [one, other] = await openTwo();
    const { workspace } = await newWorld(one, 0);
    expect(await other.listWorkspaces()).toEqual([workspace]);
  });

  it('never show a new message below one that was already seen', async () => {
    const stores = await openTwo();
    const { agents, channel, draft, workspace } = await newWorld(stores[0], 2);
    const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
    const conversation = await channel();
    let sending = 2;
    const send = async (store: Store) => {
      for (let burst = 0; burst < 30; burst++) {
        await Promise.all(
          Array.from({ length: 5 }, () => store.appendMessage(draft(alice, conversation, [bob]))),
        );
      }
      sending--;
    };
    const follow = async (store: Store) => {
      const seen: number[] = [];
      for (let last = false; !last; ) {
        last = sending === 0;
        const page = await store.listMessages({
          workspaceId: workspace.id,
          after: seen.at(-1) ?? 0,
          limit: 1000,
        });
        seen.push(...page.map(({ seq }) => seq));
      }
      return seen;
    };
    const [seen] = await Promise.all([follow(stores[1]), send(stores[0]), send(stores[1])]);
    const all = await stores[0].listMessages({ workspaceId: workspace.id, after: 0, limit: 1000 });
    expect(all).toHaveLength(300);
    expect(seen).toEqual(all.map(({ seq }) => seq));
  });

  it('store a message once that is sent to both', async () => {
    const stores = await openTwo();
    const { agents, channel, draft } = await newWorld(stores[0], 2);
    const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
    const conversation = await channel();
    const sent = draft(alice, conversation, [bob]);
    const outcomes = await Promise.all(
      stores.map((store) => store.appendMessage({ ...sent, id: unique('message') })),
    );
    expect(outcomes.map(({ duplicate }) => duplicate).sort()).toEqual(['no', 'same']);
    expect(await stores[0].countUnread(bob.id, NOW)).toBe(1);
  });
});

describe('a database that one daemon uses', () => {
  const alarms: RelayError[] = [];
  const openFor = (url: string, daemon: string) =>
    openStore(url, { daemon, onFatal: (error) => alarms.push(error) });
  const refusal = (holder: string) => ({
    code: 'DatabaseInUse',
    message: expect.stringMatching(
      new RegExp(`^The database is used by the daemon on ${holder}, since 20\\d\\d-.*Z\\.$`),
    ),
  });
  const LOCKS = "FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2";
  const CUT = `SELECT pg_terminate_backend(pid) ${LOCKS} AND granted`;
  const isHeld = (url: string) =>
    expect.poll(() => administer(url, `SELECT ${LOCKS} AND granted`)).toHaveLength(1);

  /** Cuts the connection of the daemon; another waits for its lock, and has it the moment the first one has lost it. */
  async function takeFrom(url: string): Promise<AsyncDisposable & { end(): Promise<void> }> {
    const faster = connect(url, 1);
    const taken = query(faster, 'SELECT pg_advisory_lock(7236, 837202)');
    await expect.poll(() => administer(url, `SELECT ${LOCKS} AND NOT granted`)).toHaveLength(1);
    await administer(url, CUT);
    await taken;
    await query(faster, "UPDATE only_daemon SET id = 'other', name = 'south'");
    let ended: Promise<void> | undefined;
    const end = () => (ended ??= faster.end());
    return { end, [Symbol.asyncDispose]: end };
  }

  it('refuses another, and names the first, until that has ended', async () => {
    const url = await newDatabase();
    const one = await openFor(url, 'north, process 1');
    await expect(openFor(url, 'south, process 2')).rejects.toMatchObject(refusal('north, process 1'));
    await newWorld(one, 1);
    await one.close();
    const other = await openFor(url, 'south, process 2');
    await expect(openFor(url, 'north, process 3')).rejects.toMatchObject(refusal('south, process 2'));
    await other.close();
    expect(alarms).toEqual([]);
  });

  it('is still its own after its connections were cut, or the server was restarted', async () => {
    const url = await newDatabase();
    const store = await openFor(url, 'north, process 1');
    await administer(url, CUT);
    await isHeld(url);
    await newWorld(store, 1);
    await server.pause();
    await server.resume();
    await isHeld(url);
    await newWorld(store, 1);
    await expect(openFor(url, 'south, process 2')).rejects.toMatchObject(refusal('north, process 1'));
    await store.close();
    expect(alarms).toEqual([]);
  });

  it('is lost to another that was faster: nothing more is written, and the first must end, also without a write', async () => {
    const url = await newDatabase();
    const store = await openFor(url, 'north, process 1');
    await using faster = await takeFrom(url);
    await expect.poll(() => alarms).toMatchObject([refusal('south')]);
    await expect(newWorld(store, 1)).rejects.toMatchObject(refusal('south'));
    await faster.end();
    // Also not when the other has gone.
    await expect(newWorld(store, 1)).rejects.toMatchObject(refusal('south'));
    await store.close();
  });

  it('is lost also if the other has ended meanwhile: it may have written', async () => {
    const url = await newDatabase();
    const store = await openFor(url, 'north, process 1');
    alarms.length = 0;
    await (await takeFrom(url)).end();
    await expect.poll(() => alarms).toMatchObject([refusal('south')]);
    await store.close();
  });

  it('does not share a session with it', async () => {
    const url = await newDatabase();
    const pooled = connect(url, 1);
    // As behind a pooler, which hands the session of one daemon to another.
    await query(pooled, 'SELECT pg_advisory_lock(7236, 837202)');
    await expect(new OnlyDaemon('south', onFatal).take(pooled)).rejects.toMatchObject({
      code: 'InvalidSettings',
      next: expect.stringContaining('session mode'),
    });
    await pooled.end();
  });
});

describe('a PostgreSQL server', () => {
  it('that is unavailable fails calls, and serves them when it is back', async () => {
    const store = await open(await newDatabase());
    const { agents, channel, draft, workspace } = await newWorld(store, 2);
    const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
    const conversation = await channel();
    const unavailable = { code: 'StoreUnavailable', retryable: true };
    await server.pause();
    try {
      await expect(store.appendMessage(draft(alice, conversation, [bob]))).rejects.toMatchObject(unavailable);
      await expect(store.countUnread(bob.id, NOW)).rejects.toMatchObject(unavailable);
      await expect(open(shared)).rejects.toMatchObject(unavailable);
    } finally {
      await server.resume();
    }
    const sent = await store.appendMessage(draft(alice, conversation, [bob]));
    expect(await store.visibleMessage(undefined, workspace.id, sent.id)).toBeDefined();
    await store.close();
  });

  it('that cuts connections under load loses no confirmed write, and stores nothing twice', async () => {
    const url = await newDatabase();
    const store = await open(url);
    const { agents, channel, draft, workspace } = await newWorld(store, 2);
    const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
    const conversation = await channel();
    const cut =
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    let cutting = true;
    const send = async () => {
      const confirmed: string[] = [];
      while (cutting) {
        const sent = draft(alice, conversation, [bob]);
        // A sender repeats its message until it is told that it is stored.
        for (;;) {
          try {
            confirmed.push((await store.appendMessage({ ...sent, id: unique('message') })).id);
            break;
          } catch (error) {
            expect(error).toMatchObject({ code: 'StoreUnavailable' });
          }
        }
      }
      return confirmed;
    };
    const senders = [send(), send(), send(), send()];
    for (let i = 0; i < 10; i++) await administer(url, cut);
    cutting = false;
    const confirmed = (await Promise.all(senders)).flat();
    const stored = await store.listMessages({ workspaceId: workspace.id, after: 0, limit: 100_000 });
    expect(stored.map(({ id }) => id).sort()).toEqual(confirmed.sort());
    await store.close();
  });

  it('confirms commits only after they are on disk, whatever its settings', async () => {
    const url = await newDatabase();
    await (await open(url)).close();
    await administer(
      url,
      `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET synchronous_commit = off`,
      'CREATE TABLE seen (setting text)',
      `CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$`,
      'CREATE TRIGGER look AFTER INSERT ON workspaces EXECUTE FUNCTION look()',
    );
    const store = await open(url);
    await newWorld(store, 0);
    await store.close();
    expect(await administer(url, 'SHOW synchronous_commit', 'SELECT setting FROM seen')).toEqual([
      { synchronous_commit: 'off' },
      { setting: 'on' },
    ]);
  });
});

describe('the schema in PostgreSQL', () => {
  it('is upgraded from every older version', async () => {
    for (let version = 0; version < MIGRATIONS.length; version++) {
      const url = await newDatabase();
      const pool = connect(url, 1);
      await run(pool, migrate(POSTGRES, version));
      await pool.end();
      const store = await open(url);
      await newWorld(store, 1);
      await store.close();
    }
  });

  it('of a version that stored tools with their agents keeps all tools within the limits', async () => {
    const url = await newDatabase();
    const pool = connect(url, 1);
    await run(pool, migrate(POSTGRES, 3));
    await pool.end();
    await administer(url, ...OLD_AGENTS);
    const store = await open(url);
    expect(await store.toolsOf(1)).toEqual(ANNS_TOOLS);
    expect(await store.toolsOf(2)).toEqual([]);
    expect(await store.listAgents(1)).toMatchObject([{ name: 'Ann' }, { name: 'Big' }]);
    await store.close();
  });

  it('of a version that did not count the bytes of invocations counts them per account', async () => {
    const url = await newDatabase();
    const pool = connect(url, 1);
    await run(pool, migrate(POSTGRES, 12));
    await pool.end();
    await administer(url, ...OLD_INVOCATIONS);
    await (await open(url)).close();
    const accounts = 'SELECT id, account, bytes FROM invocations ORDER BY id';
    expect(await administer(url, accounts)).toEqual(COUNTED_INVOCATIONS);
  });

  it('of a newer program is refused', async () => {
    const url = await newDatabase();
    await (await open(url)).close();
    await administer(url, `INSERT INTO schema_version (version) VALUES (${MIGRATIONS.length + 1})`);
    await expect(open(url)).rejects.toMatchObject({
      code: 'DatabaseUnusable',
      next: expect.stringContaining('Update agent-relay'),
    });
  });

  it('does not allow changes of audit records', async () => {
    const url = await newDatabase();
    await (await open(url)).close();
    for (const statement of ["UPDATE audit SET actor = 'nobody'", 'DELETE FROM audit', 'TRUNCATE audit']) {
      await expect(administer(url, statement)).rejects.toThrow('append-only');
    }
  });
});
