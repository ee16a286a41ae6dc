import { chmod, lchown, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discoverSocket } from './discover.ts';
import { prepareSocketPath, projectDirectory } from './locations.ts';
import { writeProjectConfig } from './project-config.ts';
import { publishProjectNames } from './project-names.ts';

let directory: string;
let env: Record<string, string>;
let cwd: string;
const servers: Server[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-discover-'));
  env = { RELAY_DATA_DIR: join(directory, 'data') };
  cwd = join(directory, 'work', 'deep', 'er');
  await mkdir(cwd, { recursive: true });
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  await rm(directory, { recursive: true, force: true });
});

async function listen(path: string): Promise<string> {
  const server = createServer((socket) => socket.destroy()).listen(path);
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return path;
}
const runProject = async (project: string) => listen(await prepareSocketPath(project, env));
/** What a crash leaves behind: a socket file without a listener. */
async function leaveStaleSocket(project: string): Promise<string> {
  const path = await prepareSocketPath(project, env);
  await writeFile(path, '');
  return path;
}
const discover = (changes: Record<string, string> = {}, project?: string) =>
  discoverSocket({ env: { ...env, ...changes }, cwd, ...(project ? { project } : {}) });

describe('the search for the daemon', () => {
  test('prefers each step over the ones after it', async () => {
    const scanned = await runProject('scanned');
    expect(await discover()).toEqual({
      socketPath: scanned,
      project: 'scanned',
      source: 'only-one',
      directory: cwd,
    });

    const configured = await runProject('configured');
    await writeProjectConfig({ root: join(directory, 'work'), project: 'configured' });
    expect(await discover()).toEqual({
      socketPath: configured,
      project: 'configured',
      source: '.relay/config.json',
      directory: join(directory, 'work'),
    });

    const named = await runProject('named');
    expect(await discover({ RELAY_PROJECT: 'named' })).toEqual({
      socketPath: named,
      project: 'named',
      source: 'RELAY_PROJECT',
    });

    const elsewhere = await listen(join(directory, 'else.sock'));
    // Which project it serves is for its daemon to say.
    expect(await discover({ RELAY_PROJECT: 'named', RELAY_SOCKET: elsewhere })).toEqual({
      socketPath: elsewhere,
      source: 'RELAY_SOCKET',
    });

    const wanted = await runProject('wanted');
    expect(await discover({ RELAY_PROJECT: 'named', RELAY_SOCKET: elsewhere }, 'wanted')).toEqual({
      socketPath: wanted,
      project: 'wanted',
      source: 'option',
    });
  });

  test('does not skip a step because its daemon is down', async () => {
    await runProject('other');
    await leaveStaleSocket('stale');
    const missing = { code: 'DaemonNotRunning' };
    await expect(discover({}, 'stale')).rejects.toMatchObject(missing);
    await expect(discover({ RELAY_PROJECT: 'stale' })).rejects.toMatchObject(missing);
    await expect(discover({ RELAY_PROJECT: 'unheard-of' })).rejects.toMatchObject(missing);
    await expect(discover({ RELAY_SOCKET: join(directory, 'no.sock') })).rejects.toMatchObject(missing);
    await writeProjectConfig({ root: cwd, project: 'stale' });
    await expect(discover()).rejects.toMatchObject({
      ...missing,
      message: expect.stringContaining('stale'),
      next: expect.stringContaining('agent-relay daemon start'),
    });
  });

  test('does not report a running daemon as missing if it lacks the project', async () => {
    await runProject('other');
    await leaveStaleSocket('removed');
    const message = (source: string) =>
      `The daemon is running, but does not serve the project "removed" (from ${source}).`;
    await expect(discover({}, 'removed')).rejects.toMatchObject({
      message: message('option'),
      next: 'List the projects with: agent-relay workspace list',
    });
    const gone = { project: 'removed', socketPath: join(directory, 'data/projects/removed/gone.sock') };
    for (const config of [{ project: 'removed' }, gone]) {
      await writeProjectConfig({ root: cwd, ...config });
      await expect(discover()).rejects.toMatchObject({
        code: 'DaemonNotRunning',
        message: message(join(cwd, '.relay/config.json')),
        next: `Open it again in ${cwd} with: agent-relay daemon start; or choose another with --project`,
      });
    }
  });

  test('finds the only running daemon, and ignores files of crashed ones', async () => {
    await leaveStaleSocket('stale');
    await mkdir(join(directory, 'data/projects/empty'), { recursive: true });
    await mkdir(join(directory, 'data/projects/.not a project'), { recursive: true });
    const alive = await runProject('alive');
    expect(await discover()).toMatchObject({ project: 'alive', socketPath: alive });
  });

  test('lists the choices if several daemons run, and says so if none does', async () => {
    await expect(discover()).rejects.toMatchObject({ code: 'DaemonNotRunning' });
    await runProject('b');
    await runProject('a');
    await expect(discover()).rejects.toMatchObject({
      code: 'AmbiguousProject',
      message: `${cwd} is not in a project yet, and several projects are running: a, b.`,
      next: expect.stringMatching(/agent-relay daemon start; or choose one: --project a$/),
      details: { choices: ['a', 'b'] },
    });
  });

  test.runIf(process.getuid?.() === 0)('ignores sockets of other users', async () => {
    const { chown } = await import('node:fs/promises');
    env = { RELAY_DATA_DIR: join(directory, 'd'.repeat(110)), XDG_RUNTIME_DIR: directory };
    await runProject('ours');
    await prepareSocketPath('taken', env);
    const theirs = join(directory, 'theirs');
    await mkdir(theirs);
    await chown(theirs, 12345, 12345);
    await writeFile(join(projectDirectory('taken', env), 'daemon.sock.path'), join(theirs, 'a.sock'));
    expect(await discover()).toMatchObject({ project: 'ours' });
    await expect(discover({}, 'taken')).rejects.toMatchObject({ code: 'NotAllowedToRunAs' });
  });

  test('finds a project whose socket path had to move', async () => {
    env = { RELAY_DATA_DIR: join(directory, 'd'.repeat(110)), XDG_RUNTIME_DIR: directory };
    const socketPath = await runProject('far');
    expect(await discover()).toEqual({ socketPath, project: 'far', source: 'only-one', directory: cwd });
    expect(await discover({}, 'far')).toMatchObject({ socketPath });
  });

  test('reports the new name of a renamed project, and where to change it', async () => {
    const recorded = { root: join(directory, 'work'), project: 'demo' };
    const socketPath = await runProject('demo');
    await publishProjectNames([{ name: 'shop', directory: 'demo', formerNames: ['demo', 'mid'] }], env);
    const renamed = (source: string, next: string) => ({
      code: 'ProjectNotFound',
      message: `The project "demo" (from ${source}) was renamed to "shop".`,
      next: expect.stringContaining(next),
      details: { suggestions: ['shop'] },
    });
    await expect(discover({}, 'demo')).rejects.toMatchObject(renamed('option', '--project shop'));
    await expect(discover({ RELAY_PROJECT: 'demo' })).rejects.toMatchObject(
      renamed('RELAY_PROJECT', 'RELAY_PROJECT=shop'),
    );
    await writeProjectConfig(recorded);
    await expect(discover()).rejects.toMatchObject(renamed('.relay/config.json', 'agent-relay daemon start'));
    expect(await discover({}, 'shop')).toEqual({ socketPath, project: 'shop', source: 'option' });
  });

  test('finds the project of a socket under its current name', async () => {
    const socketPath = await runProject('demo');
    expect(await discover()).toMatchObject({ socketPath, project: 'demo', source: 'only-one' });
    await publishProjectNames(
      [
        { name: 'shop', directory: 'demo', formerNames: [] },
        { name: 'demo', directory: 'demo~2', formerNames: [] },
      ],
      env,
    );
    const shop = { socketPath, project: 'shop' };
    expect(await discover()).toMatchObject({ ...shop, source: 'only-one' });
    const other = await runProject('demo~2');
    expect(await discover({}, 'demo')).toMatchObject({ socketPath: other, project: 'demo' });
    expect(await discover({ RELAY_SOCKET: socketPath, RELAY_PROJECT: 'demo' })).toMatchObject(shop);
    await writeProjectConfig({ root: cwd, project: 'demo', socketPath });
    expect(await discover()).toMatchObject({ ...shop, source: '.relay/config.json' });
  });

  test('reports a damaged file of names, with the next step', async () => {
    await runProject('demo');
    await writeFile(join(directory, 'data/projects/names.json'), '[{');
    await expect(discover({}, 'demo')).rejects.toMatchObject({
      code: 'InvalidSettings',
      message: expect.stringContaining('names.json'),
      next: expect.stringContaining('agent-relay daemon restart'),
    });
  });

  test('uses a former name for the project that has it now', async () => {
    await publishProjectNames(
      [
        { name: 'shop', directory: 'demo', formerNames: ['demo'] },
        { name: 'demo', directory: 'demo~2', formerNames: [] },
      ],
      env,
    );
    const socketPath = await runProject('demo~2');
    expect(await discover({}, 'demo')).toMatchObject({ socketPath });
  });

  test('searches the configuration upward from RELAY_PROJECT_ROOT if it is set', async () => {
    const root = join(directory, 'elsewhere', 'inside');
    await mkdir(root, { recursive: true });
    await writeProjectConfig({ root: join(directory, 'elsewhere'), project: 'rooted' });
    await writeProjectConfig({ root: cwd, project: 'here' });
    await runProject('rooted');
    expect(await discover({ RELAY_PROJECT_ROOT: root })).toMatchObject({ project: 'rooted' });
  });

  test('refuses a RELAY_PROJECT_ROOT that is no directory or in no project, whatever runs', async () => {
    await runProject('other');
    const root = join(directory, 'work');
    await expect(discover({ RELAY_PROJECT_ROOT: '/path/to/project' })).rejects.toMatchObject({
      code: 'InvalidSettings',
      message: 'RELAY_PROJECT_ROOT is /path/to/project, but it does not exist.',
      next: expect.stringContaining('unset it'),
    });
    await expect(discover({ RELAY_PROJECT_ROOT: root })).rejects.toMatchObject({
      code: 'ProjectNotFound',
      message: `${root} (from RELAY_PROJECT_ROOT) is not in a project.`,
      next: expect.stringMatching(/agent-relay daemon start; .* RELAY_PROJECT=other$/),
    });
    await writeFile(join(root, 'file'), '');
    await expect(discover({ RELAY_PROJECT_ROOT: join(root, 'file') })).rejects.toMatchObject({
      message: expect.stringContaining('it is not a directory'),
    });
    // That one is for everything outside the others.
    await runProject('default');
    expect(await discover({ RELAY_PROJECT_ROOT: root })).toMatchObject({
      project: 'default',
      source: 'default',
    });
  });

  test('says for a stale RELAY_SOCKET where the daemon runs instead', async () => {
    const alive = await runProject('alive');
    for (const stale of [join(directory, 'no.sock'), await leaveStaleSocket('stale')])
      await expect(discover({ RELAY_SOCKET: stale })).rejects.toMatchObject({
        code: 'DaemonNotRunning',
        message: `No daemon listens on ${stale} (from RELAY_SOCKET).`,
        next: `The daemon is running elsewhere: unset RELAY_SOCKET, or set it to ${alive}`,
      });
  });

  test('accepts a socket in the configuration, relative to its directory', async () => {
    const socketPath = await listen(join(directory, 'work', 'own.sock'));
    await writeProjectConfig({ root: join(directory, 'work'), socketPath: 'own.sock' });
    expect(await discover()).toEqual({
      socketPath,
      source: '.relay/config.json',
      directory: join(directory, 'work'),
    });
  });

  test('knows the project from its path', async () => {
    const socketPath = await runProject('shop');
    expect(await discover({ RELAY_SOCKET: socketPath })).toMatchObject({ project: 'shop' });
  });

  test.each(['{', '[]', '{"project": 3}', '{"project": "../up"}', '{"socketPath": {}}', '{}', 'null'])(
    'stops at a broken configuration (%s) with an error',
    async (text) => {
      await runProject('other');
      await mkdir(join(cwd, '.relay'));
      await writeFile(join(cwd, '.relay', 'config.json'), text);
      await expect(discover()).rejects.toMatchObject({
        code: expect.stringMatching(/^(InvalidSettings|InvalidName)$/),
      });
    },
  );

  test.runIf(process.getuid?.() === 0)(
    'refuses a configuration that leads to the socket of another user',
    async () => {
      const { chown } = await import('node:fs/promises');
      const socketPath = await listen(join(directory, 'theirs.sock'));
      await chown(socketPath, 12345, 12345);
      await writeProjectConfig({ root: cwd, project: 'shop', socketPath });
      await expect(discover()).rejects.toMatchObject({ code: 'NotAllowedToRunAs' });
    },
  );
});

describe('a recorded project', () => {
  const isRoot = process.getuid?.() === 0;
  const STRANGER = 12345;
  let relay: string;
  let ignored: string[];
  const find = () => discoverSocket({ env, cwd, onIgnored: (path, why) => ignored.push(`${path}: ${why}`) });

  beforeEach(async () => {
    ignored = [];
    await runProject('ours');
    await runProject('default');
    await writeProjectConfig({ root: cwd, project: 'ours' });
    relay = join(cwd, '.relay');
    expect(await find()).toMatchObject({ project: 'ours' });
  });

  test('is private to this user, even in an existing directory', async () => {
    await chmod(relay, 0o777);
    await writeProjectConfig({ root: cwd, project: 'ours' });
    expect((await lstat(relay)).mode & 0o777).toBe(0o700);
    expect((await lstat(join(relay, 'config.json'))).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['directory', () => relay],
    ['file', () => join(relay, 'config.json')],
  ])('is ignored if others can write to its %s, and the next one above is used', async (_what, path) => {
    await runProject('above');
    await writeProjectConfig({ root: join(directory, 'work'), project: 'above' });
    await chmod(path(), 0o777);
    expect(await find()).toMatchObject({ project: 'above' });
    expect(ignored).toEqual([`${path()}: others can write to it`]);
  });

  test.runIf(isRoot)('is ignored if another group can write to it', async () => {
    await chmod(relay, 0o770);
    await lchown(relay, 0, 0);
    expect(await find()).toMatchObject({ project: 'ours' });
    await lchown(relay, 0, STRANGER);
    expect(await find()).toMatchObject({ project: 'default', source: 'default' });
  });

  test.runIf(isRoot).each([
    ['directory', () => relay],
    ['file', () => join(relay, 'config.json')],
  ])('is ignored if its %s belongs to another user', async (_what, path) => {
    await lchown(path(), STRANGER, STRANGER);
    expect(await find()).toMatchObject({ project: 'default', source: 'default' });
    expect(ignored).toEqual([`${path()}: it belongs to another user`]);
  });

  test.runIf(isRoot)('is ignored behind a link of another user', async () => {
    const shared = join(directory, 'shared');
    await mkdir(join(shared, 'below'), { recursive: true });
    await symlink(relay, join(shared, '.relay'));
    await lchown(join(shared, '.relay'), STRANGER, STRANGER);
    cwd = join(shared, 'below');
    expect(await find()).toMatchObject({ project: 'default', source: 'default' });
  });

  test.runIf(isRoot)('does not lead to a socket of another user, also behind a link', async () => {
    const theirs = await listen(join(directory, 'theirs.sock'));
    await lchown(theirs, STRANGER, STRANGER);
    const socketPath = join(cwd, 'link.sock');
    await symlink(theirs, socketPath);
    await writeProjectConfig({ root: cwd, project: 'ours', socketPath });
    await expect(find()).rejects.toMatchObject({ code: 'NotAllowedToRunAs' });
  });
});
