import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect as connectToDatabase, query } from '../../../packages/relay/src/store/postgres/database.ts';
import { createSandbox, startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { type PostgresServer, startPostgres } from '../../kit/postgres.ts';
import { expectFailure, json, output } from '../../kit/results.ts';
import { client, known } from '../messaging/commands.ts';

let server: PostgresServer;
let daemon: TestDaemon;
let database: string;
beforeAll(async () => {
  server = await startPostgres();
  database = await server.createDatabase('relay');
  daemon = await startDaemon({ settings: { database } });
  await known(daemon, 'Alice', 'Bob');
});
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await server?.stop();
});

const relay = (...args: string[]) => daemon.cli(args);

describe('a daemon on PostgreSQL, by the command line', () => {
  it('shows its database without the password', async () => {
    const { stdout } = await relay('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ database: 'postgres' });
    expect(stdout).not.toContain('relay:relay');
  });

  it('sends, delivers, searches and shows the history, also after a restart', async () => {
    output(await relay('send', 'Bob', 'The parser is repaired.', '--as', 'Alice'));
    output(await relay('channel', 'create', 'dev', '--as', 'Alice'));
    output(await relay('channel', 'join', 'dev', '--as', 'Bob'));
    output(await relay('send', '#dev', 'Release 7 is out.', '--as', 'Alice'));
    const check = async () => {
      const { messages } = json(await relay('inbox', '--as', 'Bob', '--all', '--json'));
      expect(messages).toMatchObject([
        { from: 'Alice', to: 'Bob', content: 'The parser is repaired.' },
        { from: 'Alice', to: '#dev', content: 'Release 7 is out.' },
      ]);
      expect(output(await relay('search', 'parser', '--as', 'Bob'))).toContain('The parser is repaired.');
      expect(output(await relay('search', 'nothing', '--as', 'Bob'))).toBe('No messages found.\n');
      expect(output(await relay('history', '--channel', 'dev'))).toContain('Release 7 is out.');
      expect(output(await relay('export'))).toContain('"body":"The parser is repaired."');
    };
    await check();
    await daemon.stop();
    expectFailure(await relay('inbox', '--as', 'Bob'), 3, /not running|No daemon/);
    await daemon.start();
    await check();
  });

  it('loses no acknowledged message when it is killed', async () => {
    await using alice = await client(daemon, { name: 'Alice', reconnect: { minDelayMs: 5, maxDelayMs: 50 } });
    const contents = Array.from({ length: 200 }, (_, index) => `number ${index}`);
    const sends = contents.map((content) => alice.send('Bob', content));
    await sends[20];
    await daemon.kill9();
    await daemon.start();
    await Promise.all(sends);
    const { messages } = json(await relay('inbox', '--as', 'Bob', '--limit', '500', '--json'));
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(contents);
  });
});

describe('a second daemon on one database', () => {
  const second = () => createSandbox({ settings: { database } });

  it('is refused while the first runs or hangs, and starts when it has stopped or was killed', async () => {
    await using sandbox = await second();
    const refused = async () =>
      expectFailure(
        await sandbox.cli(['daemon', 'start']),
        2,
        new RegExp(`used by the daemon on ${hostname()}, process ${daemon.pid}, since 20`),
        /agent-relay daemon stop/,
      );
    await refused();
    process.kill(daemon.pid, 'SIGSTOP');
    await refused();
    process.kill(daemon.pid, 'SIGCONT');
    output(await relay('send', 'Bob', 'Still here.', '--as', 'Alice'));
    for (const end of [() => daemon.kill9(), () => daemon.stop()]) {
      await end();
      output(await sandbox.cli(['daemon', 'start']));
      await expect(daemon.start()).rejects.toThrow('DatabaseInUse');
      output(await sandbox.cli(['daemon', 'stop']));
      await daemon.start();
    }
  });

  it('restarts like any', async () => {
    await using sandbox = await second();
    await daemon.stop();
    output(await sandbox.cli(['daemon', 'start']));
    output(await sandbox.cli(['daemon', 'restart']));
    output(await sandbox.cli(['daemon', 'stop']));
    await daemon.start();
  });

  it('ends the first if that has lost its connection, and the second was faster', async () => {
    const other = connectToDatabase(database, 1);
    const lock = "FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2";
    const [one] = await query<{ pid: number }>(other, `SELECT pid ${lock}`);
    const beside = connectToDatabase(database, 1);
    const taken = query(beside, 'SELECT pg_advisory_lock(7236, 837202)');
    await expect.poll(() => query(other, `SELECT pid ${lock} AND NOT granted`)).toHaveLength(1);
    await query(other, 'SELECT pg_terminate_backend($1)', [one?.pid ?? 0]);
    await taken;
    await query(beside, "UPDATE only_daemon SET id = 'other', name = 'south'");
    expect(await daemon.exited).toBe(2);
    expect(output(await relay('daemon', 'logs'))).toContain(
      'The database is used by the daemon on south, since',
    );
    await Promise.all([other.end(), beside.end()]);
    await daemon.start();
  });
});
