import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync, rmSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type CliResult, PROGRAM } from '../../kit/cli.ts';
import { createSandbox, type Sandbox, startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { connectToSocket } from '../../kit/raw-client.ts';
import { expectFailure, output } from '../../kit/results.ts';
import { client, known } from '../messaging/commands.ts';

const STACK = /\n\s+at .+:\d+/;
const databaseOf = ({ dataDirectory }: Sandbox): string => join(dataDirectory, 'relay.db');

/** A sandbox whose daemon has run and was stopped. */
async function usedSandbox(): Promise<TestDaemon> {
  const daemon = await startDaemon();
  await known(daemon, 'alice', 'bob');
  await daemon.stop();
  return daemon;
}

async function expectNoStart(sandbox: Sandbox, message: RegExp, next: RegExp): Promise<void> {
  const result = await sandbox.cli(['daemon', 'start']);
  expectFailure(result, 1, message, next);
  expect(result.stderr).not.toMatch(STACK);
}

describe('a daemon whose database', () => {
  it.each([
    ['is no database', (path: string) => writeFileSync(path, 'a letter, not a database. '.repeat(400))],
    [
      'is damaged in the middle',
      (path: string) => {
        const file = openSync(path, 'r+');
        for (let page = 1; page < 40; page++) writeSync(file, Buffer.alloc(4000, 0x5a), 0, 4000, page * 4096);
      },
    ],
    ['is cut off', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 3 * 4096))],
  ])('%s does not start', async (_, harm) => {
    await using sandbox = await usedSandbox();
    harm(databaseOf(sandbox));
    await expectNoStart(sandbox, /The database is damaged/, /next: .*restore the database from a backup/);
  });

  it('has a newer version does not start', async () => {
    await using sandbox = await usedSandbox();
    using database = new DatabaseSync(databaseOf(sandbox));
    database.exec('INSERT INTO schema_version (version) VALUES (1000)');
    await expectNoStart(sandbox, /has schema version 1000/, /next: Update agent-relay/);
  });

  it('is missing while its log exists does not start', async () => {
    await using sandbox = await startDaemon();
    await sandbox.kill9();
    unlinkSync(databaseOf(sandbox));
    await expectNoStart(sandbox, /is missing, but its log .+-wal exists/, /next: Restore the database/);
    expect(existsSync(databaseOf(sandbox))).toBe(false);
  });

  it('is missing with its log starts with a new one', async () => {
    await using sandbox = await usedSandbox();
    for (const suffix of ['', '-wal', '-shm']) rmSync(databaseOf(sandbox) + suffix, { force: true });
    await sandbox.start();
    expect(output(await sandbox.cli(['who', '--all']))).not.toContain('alice');
  });

  it.each(['', '-wal'])(
    'is deleted (relay.db%s) while it runs acknowledges nothing more, and ends',
    async (suffix) => {
      await using daemon = await startDaemon();
      await known(daemon, 'bob');
      using alice = await connectToSocket(daemon.socketPath);
      await alice.hello({ name: 'alice', paths: [] });
      await alice.request('SEND', { to: 'bob', content: 'before' });
      unlinkSync(databaseOf(daemon) + suffix);
      // It may notice before the request.
      const sent = alice.request('SEND', { to: 'bob', content: 'after' });
      await expect(sent).rejects.toThrow(/was deleted or replaced|closed without/);
      expect(await daemon.exited).toBe(1);
      const log = output(await daemon.cli(['daemon', 'logs']));
      expect(log).toMatch(/was deleted or replaced while it was in use/);
    },
  );

  it('is deleted while nobody writes notices that too', async () => {
    await using daemon = await startDaemon();
    unlinkSync(databaseOf(daemon));
    expect(await daemon.exited).toBe(1);
  });
});

it('reads, lists, exports and imports a database with impossible times', async () => {
  await using daemon = await startDaemon();
  await known(daemon, 'alice', 'bob', 'carol');
  output(await daemon.cli(['send', 'bob', 'from far ahead', '--as', 'alice']));
  output(await daemon.cli(['send', 'bob', 'the last one', '--as', 'carol']));
  output(await daemon.cli(['inbox', '--as', 'bob', '--limit', '1']));
  output(await daemon.cli(['agent', 'remove', 'carol']));
  await daemon.stop();
  const database = new DatabaseSync(databaseOf(daemon));
  for (const [table, column] of [
    ['messages', 'created_at'],
    ['agents', 'last_seen_at'],
    ['agents', 'created_at'],
    ['agents', 'removed_at'],
    ['conversations', 'created_at'],
    ['members', 'joined_at'],
    ['deliveries', 'read_at'],
  ])
    database.exec(`UPDATE ${table} SET ${column} = 9000000000000000 WHERE ${column} IS NOT NULL`);
  database.close();
  await daemon.start();
  for (const command of [['history'], ['who', '--all'], ['inbox', '--as', 'bob', '--peek']])
    expect(output(await daemon.cli(command))).toMatch(/275760/);
  const file = join(daemon.directory, 'late.jsonl');
  const [, ...records] = output(await daemon.cli(['export'])).split('\n');
  expect(records.join('\n')).toContain('"createdAt":8640000000000000');
  output(await daemon.cli(['export', file]));
  await using other = await startDaemon();
  for (const target of [daemon, other]) {
    expect(output(await target.cli(['import', file]))).toContain('Verified: ');
    expect(
      output(await target.cli(['export']))
        .split('\n')
        .slice(1),
    ).toEqual(records);
  }
});

describe('an export without enough disk space', () => {
  /** Runs a command of the shell with the program and its arguments as `"$@"`. */
  async function inShell(sandbox: Sandbox, script: string, ...args: string[]): Promise<CliResult> {
    const child = spawn('sh', ['-c', script, 'sh', process.execPath, PROGRAM, ...args], {
      cwd: sandbox.projectDirectory,
      env: sandbox.env,
    });
    const [stdout, stderr, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    return { code, signal, stdout, stderr };
  }

  it('fails, and leaves no partial file', async () => {
    await using daemon = await startDaemon();
    await using alice = await client(daemon, { name: 'alice' });
    await known(daemon, 'bob');
    for (let i = 0; i < 4; i++) await alice.send('bob', 'x'.repeat(60_000));
    const file = join(daemon.directory, 'demo.jsonl');
    const failed = await inShell(daemon, 'ulimit -f 64; exec "$@"', 'export', file);
    expectFailure(
      failed,
      2,
      /Cannot write \S+demo\.jsonl: the file is too large for this disk/,
      /next: Free some space/,
    );
    expect(existsSync(file)).toBe(false);
  });

  it.runIf(existsSync('/dev/full'))('fails on standard output too', async () => {
    await using daemon = await startDaemon();
    for (const command of ['export', 'who', 'status']) {
      const failed = await inShell(daemon, 'exec "$@" > /dev/full', command);
      expectFailure(failed, 2, /Cannot write the output: the disk is full/, /next: Free some space/);
    }
    await using sandbox = await createSandbox();
    const help = await inShell(sandbox, 'exec "$@" > /dev/full', '--help');
    expectFailure(help, 2, /Cannot write the output: the disk is full/);
  });
});
