import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { encodeFrame } from '@agent-relay/protocol';
import { killAtExit } from '../../kit/cli.ts';
import type { TestDaemon } from '../../kit/daemon.ts';

/** A daemon that does not do its part: the real one between `begin` and `end`, or another that `env` leads to. */
export interface Trouble {
  what: string;
  env?: NodeJS.ProcessEnv;
  begin?(): void;
  end?(): void;
}

/** Longer than a hook waits for all of its questions. */
const SLOW_MS = 700;
const HALF = Buffer.from(encodeFrame('{"v":1,"type":"WELCOME"}')).subarray(0, 10);

export async function troublesOf(daemon: TestDaemon) {
  await using started = new AsyncDisposableStack();
  const at = async (what: string, serve: (client: Socket) => void): Promise<Trouble> => {
    const path = join(daemon.directory, `${what.replaceAll(' ', '-')}.sock`);
    const server = createServer((client) => {
      client.on('error', () => client.destroy());
      serve(client);
    });
    server.listen(path);
    await once(server, 'listening');
    started.defer(() => void server.close());
    return { what, env: through(path) };
  };
  const through = (path: string) => ({ RELAY_SOCKET: path, RELAY_PROJECT: daemon.project });
  const all: Trouble[] = [
    {
      what: 'stopped',
      begin: () => void process.kill(daemon.pid, 'SIGSTOP'),
      end: () => void process.kill(daemon.pid, 'SIGCONT'),
    },
    await at('silent', (client) => client.resume()),
    await at('half a frame', (client) => client.resume().write(HALF)),
    await at('cut off', (client) => client.once('data', () => client.end(HALF))),
    await at('no daemon at all', (client) => client.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    await at('nonsense', (client) => client.once('data', () => client.write(encodeFrame('{"v":1}')))),
    await at('slow', (client) => slowly(client, createConnection(daemon.socketPath))),
    await at('silent after the greeting', (client) => greeted(client, createConnection(daemon.socketPath))),
    { what: 'full', env: through(await fullSocket(daemon, started)) },
    { what: 'no socket', env: through(join(daemon.directory, 'none.sock')) },
  ];
  const stack = started.move();
  return { all, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function slowly(client: Socket, real: Socket): void {
  client.pipe(real);
  real.on('error', () => client.destroy());
  // Time is what is tested here.
  real.on('data', (bytes) => void setTimeout(() => client.writable && client.write(bytes), SLOW_MS).unref());
  client.on('close', () => real.destroy());
}

function greeted(client: Socket, real: Socket): void {
  client.once('data', (hello) => real.write(hello));
  client.on('close', () => real.destroy());
  real.on('error', () => client.destroy());
  real.once('data', (welcome) => client.write(welcome));
}

/** A stopped process whose backlog is full. */
async function fullSocket(daemon: TestDaemon, started: AsyncDisposableStack): Promise<string> {
  const path = join(daemon.directory, 'full.sock');
  const program = `require('net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => process.send(1))`;
  const server = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  killAtExit(server);
  started.defer(() => void server.kill('SIGKILL'));
  await once(server, 'message');
  server.kill('SIGSTOP');
  for (let isFull = false; !isFull; ) {
    const socket = createConnection(path);
    isFull = await once(socket, 'connect').then(
      () => false,
      () => true,
    );
    started.defer(() => void socket.destroy());
  }
  return path;
}
