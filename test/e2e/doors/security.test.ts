import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { connectToSocket, connectToWebSocket } from '../../kit/raw-client.ts';

const BODY = 'canary-in-a-message-body';

let daemon: TestDaemon;
/** Every secret that was shown to the daemon, right or wrong. */
const secrets: string[] = [];

beforeAll(async () => {
  daemon = await startDaemon({ settings: { log: { level: 'trace' } } });
  const run = async (...args: string[]) => {
    const result = await daemon.cli(args);
    expect(result).toMatchObject({ code: 0 });
    return result.stdout;
  };
  // Agents from the command line, whose tokens are on disk, and from raw connections.
  await run('send', '--as', 'Alice', 'Alice', BODY);
  const owner = await connectToSocket(daemon.socketPath);
  await owner.hello({});
  const { key, keyId } = await owner.request('KEY_CREATE', {});
  const { token } = await owner.request('TOKEN_ROTATE', { agent: 'Alice' });
  const remote = await connectToWebSocket(`ws://${daemon.http}/ws`);
  const { agentToken = '' } = await remote.hello({ workspaceKey: key, name: 'Bob' });
  const wrongToken = `at_${'w'.repeat(43)}`;
  const wrongKey = `rk_00000000_${'w'.repeat(43)}`;
  for (const hello of [
    { workspaceKey: wrongKey },
    { token: wrongToken },
    { name: 'Bob', token: wrongToken },
  ]) {
    const client = await connectToWebSocket(`ws://${daemon.http}/ws`);
    await expect(client.hello(hello)).rejects.toMatchObject({ code: 'Unauthorized' });
  }
  await fetch(`http://${daemon.http}/metrics?key=${key}`, {
    headers: { Authorization: `Bearer ${wrongKey}` },
  });
  await owner.request('KEY_REVOKE', { keyId });
  await remote.closed;
  owner[Symbol.dispose]();
  secrets.push(key, token, agentToken, wrongToken, wrongKey);
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** Everything below a directory, with its kind and permissions. */
async function tree(directory: string) {
  const names = await readdir(directory, { recursive: true });
  return Promise.all(
    ['', ...names].map(async (name) => {
      const path = join(directory, name);
      const stats = await lstat(path);
      const kind = stats.isDirectory() ? 'directory' : stats.isSocket() ? 'socket' : 'file';
      return { name, path, kind, mode: (stats.mode & 0o777).toString(8), uid: stats.uid };
    }),
  );
}

describe('the data directory', () => {
  it('is private: directories 0700; socket, database, tokens and logs 0600', async () => {
    const entries = await tree(daemon.dataDirectory);
    for (const { name, kind, mode, uid } of entries) {
      expect({ name, mode, uid }).toEqual({
        name,
        mode: kind === 'directory' ? '700' : '600',
        uid: process.getuid?.(),
      });
    }
    const names = entries.map(({ name }) => name);
    for (const pattern of [
      /daemon\.sock$/,
      /relay\.db$/,
      /relay\.db-wal$/,
      /alice\.name$/,
      /agents\/[0-9a-f]{16}\.token$/,
      /daemon\.log$/,
    ]) {
      expect(names).toContainEqual(expect.stringMatching(pattern));
    }
  });

  it('has secrets only in the token files of local agents', async () => {
    const files = (await tree(daemon.dataDirectory)).filter(({ kind }) => kind === 'file');
    for (const { name, path } of files) {
      const content = (await readFile(path)).toString('latin1');
      const found = secrets.filter((secret) => content.includes(secret.slice(-43)));
      expect({ name, found }).toEqual({ name, found: [] });
    }
  });

  it('keeps message bodies out of the logs', async () => {
    const logs = (await tree(join(daemon.dataDirectory, 'logs'))).filter(({ kind }) => kind === 'file');
    expect(logs.length).toBeGreaterThan(0);
    for (const { path } of logs) expect(await readFile(path, 'utf8')).not.toContain(BODY);
  });
});

describe.skipIf(process.platform !== 'linux')('the command lines of all processes (read from /proc)', () => {
  const commandLines = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        } catch (error) {
          // Processes end while they are listed.
          if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
          return '';
        }
      });

  it('contain no key or token', async () => {
    await using tail = daemon.startCli(['tail']);
    const sender = await connectToSocket(daemon.socketPath);
    await sender.hello({ name: 'Canary', ephemeral: true });
    const isSeen = tail.until(/look-at-the-processes/);
    // The command follows once it is connected: send until it shows.
    const saying = setInterval(
      () => sender.send('SEND', { to: 'Alice', content: 'look-at-the-processes' }),
      50,
    );
    await isSeen.finally(() => clearInterval(saying));
    const lines = commandLines();
    expect(lines.some((line) => line.includes('--detached'))).toBe(true);
    for (const line of lines) expect(line).not.toMatch(/\b(at_[\w-]{43}|rk_[0-9a-z]{8}_[\w-]{43})/);
    sender[Symbol.dispose]();
  });
});

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

describe.skipIf(!isRoot)('another user of the machine (needs root, to become one)', () => {
  /** Runs a script as that user and returns what it printed as JSON. */
  async function asNobody(script: string): Promise<unknown> {
    const child = spawn(process.execPath, ['-e', script], { uid: NOBODY, gid: NOBODY, cwd: '/', env: {} });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    await once(child, 'close');
    return JSON.parse(output);
  }

  beforeAll(() => chmod(daemon.directory, 0o755));

  it('cannot open the socket, nor read a file', async () => {
    const paths = (await tree(daemon.dataDirectory)).map(({ path }) => path);
    const codes = await asNobody(`
      const { openSync } = require('node:fs');
      const open = (path) => { try { openSync(path); return 'open'; } catch ({ code }) { return code; } };
      const socket = require('node:net').connect(${JSON.stringify(daemon.socketPath)});
      const answer = (socketCode) => console.log(JSON.stringify({ socketCode, files: ${JSON.stringify(paths)}.map(open) }));
      socket.on('connect', () => answer('connected') ?? socket.destroy());
      socket.on('error', ({ code }) => answer(code));`);
    expect(codes).toEqual({ socketCode: 'EACCES', files: paths.map(() => 'EACCES') });
  });

  it('cannot redirect commands by a .relay above the working directory', async () => {
    const shared = join(daemon.directory, 'shared');
    const cwd = join(shared, 'mine');
    await mkdir(cwd, { recursive: true });
    await chmod(shared, 0o1777);
    const relay = join(shared, '.relay');
    const config = JSON.stringify({ project: 'theirs', socketPath: join(shared, 'theirs.sock') });
    const mode = await asNobody(`
      const fs = require('node:fs');
      process.umask(0);
      fs.mkdirSync(${JSON.stringify(relay)});
      fs.writeFileSync(${JSON.stringify(join(relay, 'config.json'))}, ${JSON.stringify(config)});
      console.log(fs.statSync(${JSON.stringify(relay)}).mode & 0o777);`);
    expect(mode).toBe(0o777);
    const found = await daemon.cli(['status', '--json'], { cwd });
    expect(found).toMatchObject({
      code: 0,
      stderr:
        `note: Ignoring ${relay}: it belongs to another user.\n` +
        `note: Using project demo (${daemon.projectDirectory}), the only one running: ${cwd} is no project. ` +
        'Open it as one with: agent-relay start; or name the other: --project demo\n',
    });
    expect(JSON.parse(found.stdout)).toMatchObject({ project: daemon.project });
    // Nor is a project recorded in a directory of theirs.
    const started = await daemon.cli(['daemon', 'start'], { cwd: shared });
    expect(started.code).toBe(5);
    expect(started.stderr).toContain(`${relay} belongs to another user.`);
    await rm(shared, { recursive: true });
  });

  it('gets no metrics and no session without a key', async () => {
    const answers = await asNobody(`
      const socket = new WebSocket('ws://${daemon.http}/ws');
      const hello = { v: 1, type: 'HELLO', id: 'h', ts: 0, payload: { name: 'Alice' } };
      socket.onopen = () => socket.send(JSON.stringify(hello));
      socket.onmessage = async ({ data }) => {
        const metrics = (await fetch('http://${daemon.http}/metrics')).status;
        const health = (await fetch('http://${daemon.http}/health')).status;
        console.log(JSON.stringify({ session: JSON.parse(data).payload.code, metrics, health }));
      };`);
    expect(answers).toEqual({ session: 'Unauthorized', metrics: 401, health: 200 });
  });
});
