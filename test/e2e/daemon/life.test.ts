import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSandbox, startDaemon } from '../../kit/daemon.ts';
import { olderNode } from '../../kit/older-node.ts';

describe('agent-relay up', () => {
  it('runs in the terminal, says where it is, and stops at Ctrl-C', async () => {
    await using sandbox = await createSandbox();
    await using up = sandbox.startCli(['up']);
    await up.until(/Stop it with Ctrl-C\.\n/);
    const config = JSON.parse(await readFile(join(sandbox.projectDirectory, '.relay/config.json'), 'utf8'));
    expect(config.project).toBe('demo');
    expect(await readFile(join(sandbox.projectDirectory, '.relay/.gitignore'), 'utf8')).toBe('*\n');
    expect((await sandbox.cli(['status', '--json'])).code).toBe(0);
    const log = await sandbox.cli(['daemon', 'logs']);
    expect(log).toMatchObject({ code: 0, stderr: expect.stringContaining('to the terminal it runs in') });
    up.child.kill('SIGINT');
    const result = await up.result;
    expect(result).toMatchObject({ code: 0, signal: null });
    expect(result.stdout).toMatch(
      /^Agent Relay \S+ is up\.\nproject +demo\nsocket +\S+\nhttp +http:\/\/127\.0\.0\.1:\d+\n/,
    );
    await expect(stat(config.socketPath)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('opens the project in the running daemon, and exits with 0', async () => {
    await using daemon = await startDaemon();
    const other = join(daemon.directory, 'other');
    await mkdir(other);
    const result = await daemon.cli(['up'], { cwd: other });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toMatch(
      new RegExp(`^The daemon is already running \\(pid ${daemon.pid}\\)\\.\nproject +other\n`),
    );
    expect((await daemon.cli(['status', '--json'], { cwd: other })).stdout).toContain('"project":"other"');
    const again = await daemon.cli(['daemon', 'start'], { cwd: other });
    expect(again.stdout).toMatch(/already running[\s\S]*project +other\n/);
  });

  it('distinguishes two directories of the same name', async () => {
    await using daemon = await startDaemon();
    const twin = join(daemon.directory, 'elsewhere', 'demo');
    await mkdir(twin, { recursive: true });
    expect((await daemon.cli(['up'], { cwd: twin })).stdout).toMatch(/project +demo-2\n/);
    expect((await daemon.cli(['up'], { cwd: twin })).stdout).toMatch(/project +demo-2\n/);
  });

  it('is the default project at home, without files there', async () => {
    await using sandbox = await createSandbox();
    await using up = sandbox.startCli(['up'], { cwd: sandbox.directory });
    await up.until(/project +default\n/);
    await expect(stat(join(sandbox.directory, '.relay'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('takes the name of the project from --project', async () => {
    await using sandbox = await createSandbox();
    await using up = sandbox.startCli(['up', '--project', 'shop']);
    await up.until(/project +shop\n/);
  });

  it('fails with the reason when the port is taken', async () => {
    await using sandbox = await createSandbox();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    for (const command of [['up'], ['daemon', 'start']]) {
      const result = await sandbox.cli([...command, '--port', String(port)]);
      expect(result.code).toBe(2);
      expect(result.stderr).toMatch(new RegExp(`error: .*${port}.*\n`));
      expect(result.stderr).toMatch(/next: /);
    }
    expect((await sandbox.cli(['daemon', 'status'])).code).toBe(3);
    other.close();
  });
});

describe('agent-relay daemon', () => {
  it('creates a deleted socket again at the next start, or says that a restart is needed', async () => {
    await using daemon = await startDaemon();
    const other = join(daemon.directory, 'other');
    await mkdir(other);
    await daemon.cli(['daemon', 'start'], { cwd: other });
    await rm(daemon.socketPath);
    expect(await daemon.cli(['who'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('daemon start'),
    });
    expect((await daemon.cli(['daemon', 'start'])).stdout).toContain(daemon.socketPath);
    expect((await daemon.cli(['who'])).code).toBe(0);
    await rm(daemon.socketPath);
    await rm(join(daemon.dataDirectory, 'projects/other/daemon.sock'));
    expect(await daemon.cli(['daemon', 'start'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('next: Restart it with: agent-relay daemon restart'),
    });
  });

  it.runIf(process.platform === 'linux')('refuses a directory that is not writable', async () => {
    await using sandbox = await createSandbox();
    const startInProc = () => sandbox.cli(['daemon', 'start'], { cwd: '/proc' });
    const refused = {
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: The project cannot be recorded in \/proc\/\.relay .*\nnext: .*\n$/,
      ),
    };
    expect(await startInProc()).toMatchObject(refused);
    expect((await sandbox.cli(['daemon', 'status'])).code).toBe(3);
    await sandbox.cli(['daemon', 'start']);
    expect(await startInProc()).toMatchObject(refused);
    const projects = (await sandbox.cli(['workspace', 'list', '--json'])).stdout;
    expect(JSON.parse(projects)).toMatchObject([{ name: 'demo' }]);
  });

  it.runIf(process.platform === 'linux')(
    'refuses a data directory that cannot be created, at once',
    async () => {
      await using sandbox = await createSandbox();
      const env = { RELAY_DATA_DIR: '/proc/agent-relay' };
      for (const command of [['up'], ['daemon', 'start']]) {
        expect(await sandbox.cli(command, { env }), command.join(' ')).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringMatching(
            /^error: The directory \/proc\/agent-relay\S* cannot be used \(ENOENT\)\.\nnext: Set RELAY_DATA_DIR .*\n$/,
          ),
        });
      }
      expect((await sandbox.cli(['status'], { env })).code).toBe(3);
    },
  );

  it('serves the other projects if one cannot be served, and that one as soon as it can', async () => {
    await using daemon = await startDaemon();
    expect((await daemon.cli(['workspace', 'create', 'site'])).code).toBe(0);
    await daemon.cli(['daemon', 'stop']);
    const place = join(daemon.dataDirectory, 'projects/site');
    await rm(place, { recursive: true });
    await writeFile(place, 'in the way');
    expect(await daemon.cli(['daemon', 'start'])).toMatchObject({ code: 0, stderr: '' });

    const reason = `The directory ${place} cannot be used (EEXIST). Set RELAY_DATA_DIR`;
    expect((await daemon.cli(['status'])).stdout).toContain(`not served  site: ${reason}`);
    const { unserved } = JSON.parse((await daemon.cli(['status', '--json'])).stdout);
    expect(unserved).toMatchObject([{ project: 'site', error: { code: 'InvalidSettings' } }]);
    expect((await daemon.cli(['daemon', 'logs'])).stdout).toMatch(/the project is not served.*site/);
    for (const command of ['who', 'daemon start'])
      expect(await daemon.cli([...command.split(' '), '--project', 'site'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`error: The directory ${place} cannot be used (EEXIST).`),
      });

    await rm(place);
    expect((await daemon.cli(['daemon', 'start', '--project', 'site'])).code).toBe(0);
    expect((await daemon.cli(['who', '--project', 'site'])).code).toBe(0);
    expect((await daemon.cli(['status'])).stdout).not.toContain('not served');
  });

  it('starts, shows its status, restarts and stops', async () => {
    await using sandbox = await createSandbox();
    expect(await sandbox.cli(['daemon', 'status'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('next: Start it with: agent-relay daemon start'),
    });
    const started = await sandbox.cli(['daemon', 'start']);
    expect(started).toMatchObject({ code: 0, stderr: '' });
    expect(started.stdout).toMatch(/^Daemon started \(pid \d+\)\.\nproject +demo\nsocket .*\nhttp .*\nlog /);
    const first = JSON.parse((await sandbox.cli(['daemon', 'status', '--json'])).stdout);
    expect(first).toMatchObject({ starting: false, pid: expect.any(Number), version: expect.any(String) });
    expect((await sandbox.cli(['daemon', 'status'])).stdout).toMatch(/running[\s\S]*pid +\d+\n/);
    // A URL in every JSON.
    const { http } = JSON.parse((await sandbox.cli(['status', '--json'])).stdout);
    expect(http).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(first.http).toBe(http);
    // As after an upgrade, while the old daemon still runs.
    await writeFile(
      join(sandbox.dataDirectory, 'daemon.json'),
      JSON.stringify({ ...first, version: '9.9.9' }),
    );
    expect((await sandbox.cli(['daemon', 'status'])).stderr).toContain('note: The daemon is version 9.9.9, ');
    expect(await sandbox.cli(['daemon', 'restart'])).toMatchObject({ code: 0, stderr: '' });
    const second = JSON.parse((await sandbox.cli(['daemon', 'status', '--json'])).stdout);
    expect(second.pid).not.toBe(first.pid);
    expect((await sandbox.cli(['daemon', 'stop'])).stdout).toBe('Daemon stopped.\n');
    expect((await sandbox.cli(['daemon', 'stop'])).stdout).toBe('The daemon was not running.\n');
    expect((await sandbox.cli(['daemon', 'status', '--json'])).code).toBe(3);
  });

  it('has short forms of start, restart and stop', async () => {
    await using sandbox = await createSandbox();
    expect((await sandbox.cli(['start'])).stdout).toMatch(/^Daemon started \(pid \d+\)/);
    expect((await sandbox.cli(['restart', '--force'])).stdout).toMatch(
      /^Daemon stopped\.\nAs before: RELAY_HTTP_PORT=0\nDaemon started/,
    );
    expect((await sandbox.cli(['logs', '-n', '1'])).stdout).toMatch(/info/);
    expect((await sandbox.cli(['stop'])).stdout).toBe('Daemon stopped.\n');
    expect((await sandbox.cli(['strat'])).stderr).toContain('next: Did you mean start?');
  });

  it('reports that there is no log to follow', async () => {
    await using sandbox = await createSandbox();
    expect(await sandbox.cli(['logs', '--follow'])).toMatchObject({
      code: 3,
      stderr: 'error: There is no log yet.\nnext: Start it with: agent-relay daemon start\n',
    });
  });

  it('keeps a private log, shows its last lines and follows it', async () => {
    await using sandbox = await createSandbox();
    await sandbox.cli(['daemon', 'start']);
    const shown = await sandbox.cli(['daemon', 'logs', '-n', '1']);
    expect(shown.stdout).toMatch(/^\d\d:\d\d:\d\d info +\S.*\n$/);
    const [line] = (await sandbox.cli(['daemon', 'logs', '--json'])).stdout.split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ level: 30 });
    await using following = sandbox.startCli(['daemon', 'logs', '-f']);
    await following.until(/info/);
    await using interrupted = sandbox.startCli(['logs', '--follow']);
    await interrupted.until(/\S/);
    interrupted.child.kill('SIGINT');
    expect(await interrupted.result).toMatchObject({ code: 0, signal: null, stderr: '' });
    await sandbox.cli(['daemon', 'stop']);
    await following.until(/stopp/);
    following.child.kill('SIGINT');
    expect(await following.result).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['', 'daemon.lock', 'logs/daemon.log', 'relay.db']) {
      const { mode } = await stat(join(sandbox.dataDirectory, name));
      expect(`${name} ${(mode & 0o077).toString(8)}`).toBe(`${name} 0`);
    }
  });

  it('starts again after kill -9, despite a stale socket, lock and process id', async () => {
    await using daemon = await startDaemon();
    await daemon.cli(['inbox', '--as', 'Bob']);
    await daemon.cli(['send', 'Bob', 'still here', '--as', 'Alice']);
    await daemon.kill9();
    expect((await stat(daemon.socketPath)).isSocket()).toBe(true);
    const down = await daemon.cli(['who']);
    expect(down.code).toBe(3);
    expect(down.stderr).toContain('next: Start it with: agent-relay daemon start');
    expect((await daemon.cli(['daemon', 'status'])).code).toBe(3);
    expect((await daemon.cli(['daemon', 'stop'])).stdout).toBe('The daemon was not running.\n');
    await daemon.start();
    expect((await daemon.cli(['inbox', '--as', 'Bob'])).stdout).toContain('still here');
  });

  it('ends cleanly after an uncaught error, and logs it', async () => {
    const mishap = "process.on('SIGUSR2', () => Promise.reject(new Error('a mishap')))";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(mishap)}` };
    await using daemon = await startDaemon({ env });
    process.kill(daemon.pid, 'SIGUSR2');
    expect(await daemon.exited).toBe(1);
    const { stdout } = await daemon.cli(['daemon', 'logs']);
    expect(stdout).toMatch(/fatal.*uncaught error[\s\S]*a mishap[\s\S]*daemon stopped/);
    await expect(stat(daemon.socketPath)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('starts once when it is started many times at once', async () => {
    await using sandbox = await createSandbox();
    const results = await Promise.all([1, 2, 3].map(() => sandbox.cli(['daemon', 'start'])));
    expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      results.map(() => ({ code: 0, stderr: '' })),
    );
    expect(results.filter(({ stdout }) => stdout.startsWith('Daemon started (')).length).toBe(1);
  });

  it('is killed by stop --force when it hangs', async () => {
    await using daemon = await startDaemon();
    process.kill(daemon.pid, 'SIGSTOP');
    const result = await daemon.cli(['daemon', 'stop', '--force']);
    expect(result).toMatchObject({ code: 0, stdout: 'Daemon stopped.\n' });
    expect((await daemon.cli(['daemon', 'status'])).code).toBe(3);
  });

  it('refuses a data directory of another user', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('needs root to give a directory away');
    await using sandbox = await createSandbox();
    await mkdir(sandbox.dataDirectory);
    execFileSync('chown', ['12345', sandbox.dataDirectory]);
    const result = await sandbox.cli(['daemon', 'start']);
    expect(result.code).toBe(5);
    expect(result.stderr).toMatch(/belongs to another user[\s\S]*next: /);
  });

  it('tightens a data directory that others can enter', async () => {
    await using sandbox = await createSandbox();
    await mkdir(sandbox.dataDirectory);
    await chmod(sandbox.dataDirectory, 0o755);
    await sandbox.cli(['daemon', 'start']);
    expect((await stat(sandbox.dataDirectory)).mode & 0o777).toBe(0o700);
  });

  it('stops while a client is connected', async () => {
    await using daemon = await startDaemon();
    await using tail = daemon.startCli(['tail', '--since-seq', '0']);
    await daemon.cli(['inbox', '--as', 'Bob']);
    await daemon.cli(['send', 'Bob', 'hi', '--as', 'Alice']);
    await tail.until(/hi/);
    expect(await daemon.stop()).toBe(0);
    await daemon.start();
    await daemon.cli(['send', 'Bob', 'after the restart', '--as', 'Alice']);
    await tail.until(/after the restart/);
  });
});

describe('settings', () => {
  it.each([
    [
      'an unknown key',
      '{\n "http": { "prot": 1 }\n}',
      /settings\.json:2: .*"http\.prot"[\s\S]*Did you mean "port"\?/,
    ],
    ['a wrong value', '{"heartbeatMs": "often"}', /settings\.json:1: heartbeatMs: /],
    ['broken JSON', '{', /settings\.json:1: not JSON/],
  ])('with %s are refused before anything starts', async (_what, text, message) => {
    await using sandbox = await createSandbox({ settings: text });
    for (const command of [['up'], ['daemon', 'start']]) {
      const result = await sandbox.cli(command);
      expect(result.code).toBe(2);
      expect(result.stderr).toMatch(message);
    }
    await expect(stat(sandbox.dataDirectory)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('are read by the daemon, and the flag wins', async () => {
    await using sandbox = await createSandbox({ settings: { http: { enabled: false } } });
    expect((await sandbox.cli(['daemon', 'start'])).stdout).not.toContain('http');
    const database = join(sandbox.directory, 'own.db');
    await sandbox.cli(['daemon', 'restart', '--database', database]);
    expect((await stat(database)).isFile()).toBe(true);
  });

  it('are the same after a restart from anywhere, unless new ones are given', async () => {
    await using sandbox = await createSandbox();
    await sandbox.cli(['daemon', 'start', '--database', 'team.db', '--mcp-http', '0']);
    const restarted = await sandbox.cli(['daemon', 'restart', '--port', '0'], { cwd: sandbox.directory });
    const database = join(sandbox.projectDirectory, 'team.db');
    expect(restarted).toMatchObject({ code: 0, stderr: '' });
    expect(restarted.stdout).toContain(`Restarting with: --database ${database} --port 0 --mcp-http 0\n`);
    expect(restarted.stdout).toMatch(/^mcp +http/m);
    await sandbox.cli(['daemon', 'restart', '--database', 'other.db']);
    const { flags } = JSON.parse((await sandbox.cli(['daemon', 'status', '--json'])).stdout);
    expect(flags).toEqual({
      database: join(sandbox.projectDirectory, 'other.db'),
      port: '0',
      mcpHttp: '0',
    });
    await expect(stat(join(sandbox.dataDirectory, 'relay.db'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('never take a password from the command line', async () => {
    await using sandbox = await createSandbox();
    const result = await sandbox.cli(['daemon', 'start', '--database', 'postgres://u:canary@127.0.0.1/x']);
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/RELAY_DATABASE/);
    expect(result.stderr).not.toContain('canary');
  });
});

describe('the Node version', () => {
  const older = olderNode();

  it('may be old: the command finds the Node that npm installed', async (context) => {
    if (older === undefined) return context.skip('needs a Node older than 24 in PATH');
    await using sandbox = await createSandbox();
    expect(await sandbox.cli(['--version'], { node: older })).toMatchObject({ code: 0, stderr: '' });
    expect((await sandbox.cli(['who'], { node: older })).code).toBe(3);
    await using up = sandbox.startCli(['up'], { node: older });
    await up.until(/Stop it with Ctrl-C\.\n/);
    up.child.kill('SIGTERM');
    expect(await up.result).toMatchObject({ code: 0, signal: null });
  });

  it('leaves nothing running when the old one is killed', async (context) => {
    if (older === undefined) return context.skip('needs a Node older than 24 in PATH');
    await using sandbox = await createSandbox();
    await using up = sandbox.startCli(['up'], { node: older });
    await up.until(/Stop it with Ctrl-C\.\n/);
    up.child.kill('SIGKILL');
    await expect
      .poll(async () => (await sandbox.cli(['daemon', 'status'])).code, { timeout: 10_000 })
      .toBe(3);
  });

  it('does not end a daemon in the background with it', async (context) => {
    if (older === undefined) return context.skip('needs a Node older than 24 in PATH');
    await using sandbox = await createSandbox();
    expect(await sandbox.cli(['daemon', 'start'], { node: older })).toMatchObject({ code: 0 });
    expect((await sandbox.cli(['who'])).code).toBe(0);
    expect((await sandbox.cli(['daemon', 'status'])).code).toBe(0);
  });
});
