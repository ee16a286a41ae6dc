import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listenError } from './listen-error.ts';
import { commandName, findPortHolder } from './port-holder.ts';

const inUse = Object.assign(new Error('in use'), { code: 'EADDRINUSE' });
const NOBODY = 65_534;

/** Another process that listens on a port of its own, or is connected to one. */
async function other(script: string, options: { uid?: number; gid?: number } = {}) {
  const child = spawn(process.execPath, ['-e', script, 'a-secret'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    ...options,
  });
  const [said] = await once(child.stdout, 'data');
  return {
    pid: child.pid ?? 0,
    said: Number(said),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
const listens = (port = 0, host = '127.0.0.1') =>
  `const s = require('net').createServer().listen(${port}, '${host}', () => console.log(s.address().port))`;
const connects = (port: number) =>
  `const s = require('net').connect(${port}, '127.0.0.1', () => console.log(1))`;

const hasLsof = spawnSync('lsof', ['-v']).status === 0;

describe.each([
  ['in /proc', 'linux', process.platform === 'linux'],
  ['with lsof', 'darwin', hasLsof],
] as const)('the process that listens on a port, found %s', (_how, platform, isThere) => {
  it.skipIf(!isThere)('is found, unlike processes that are only connected', async () => {
    await using server = await other(listens());
    await using _client = await other(connects(server.said));
    expect(await findPortHolder(server.said, platform)).toEqual({
      pid: server.pid,
      command: expect.stringMatching(/^(node|MainThread)$/),
    });
  });

  it('is undefined if several listen, at different addresses', async () => {
    await using first = await other(listens());
    await using _second = await other(listens(first.said, '127.0.0.2'));
    expect(await findPortHolder(first.said, platform)).toBeUndefined();
  });

  it('is undefined for a free port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await findPortHolder(port, platform)).toBeUndefined();
  });
});

describe('a port that is taken', () => {
  it('is reported with its process, how to choose another port and how to stop that process', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    await once(client, 'connect');
    const { code, message, next } = await listenError(inUse, {
      host: 'localhost',
      port,
      choosePort: '--port',
    });
    expect([code, message]).toEqual([
      'PortInUse',
      expect.stringMatching(`^Port ${port} on localhost is in use by process ${process.pid} \\(\\S.*\\)\\.$`),
    ]);
    expect(next).toBe(`Choose another port with --port, or stop that program: kill ${process.pid}`);
    client.destroy();
    server.close();
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is reported with how to find a process that cannot be seen (needs root, to be another user)',
    async () => {
      await using server = await other(listens());
      const module = new URL('./listen-error.ts', import.meta.url).href;
      const script = `import('${module}').then(async ({ listenError }) => {
        const error = await listenError(Object.assign(new Error(), { code: 'EADDRINUSE' }), { host: 'x', port: ${server.said} });
        console.log(JSON.stringify([error.message, error.next]));
      })`;
      const child = spawn(process.execPath, ['-e', script], { uid: NOBODY, gid: NOBODY, cwd: '/', env: {} });
      let output = '';
      child.stdout.on('data', (data) => {
        output += data;
      });
      await once(child, 'close');
      expect(JSON.parse(output)).toEqual([
        `Port ${server.said} on x is in use by another program.`,
        `Choose another port, or stop that program: kill $(lsof -ti:${server.said} -sTCP:LISTEN)`,
      ]);
    },
  );
});

describe('the command of a process', () => {
  it.each([
    ['/usr/bin/node /opt/relay/bin/agent-relay.js up --mcp-api-key secret', 'node agent-relay.js up'],
    ['node --disable-warning=X /opt/agent-relay.js daemon start', 'node agent-relay.js daemon'],
    ['node -e secret()', 'node'],
    ['nginx: master process', 'nginx: master process'],
    ['evil\u001b[2J x\ny', 'evil\u{FFFD}[2J x y'],
    ['', ''],
  ])('%j is shown without options, as %j', (line, shown) => {
    expect(commandName(line.replaceAll(' ', '\0'))).toBe(shown);
  });
});
