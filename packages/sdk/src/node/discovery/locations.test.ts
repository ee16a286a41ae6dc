import { lchown, lstat, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localAgentToken } from '../tokens.ts';
import {
  dataDirectory,
  findSocketPath,
  MAX_SOCKET_PATH_BYTES,
  prepareSocketPath,
  projectDirectory,
} from './locations.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-places-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const mode = async (path: string) => (await lstat(path)).mode & 0o777;
const longDirectory = () => join(directory, 'd'.repeat(120));

describe('the data directory', () => {
  test.each([
    [{ RELAY_DATA_DIR: '/data', XDG_DATA_HOME: '/xdg' }, 'linux', '/data'],
    [{ XDG_DATA_HOME: '/xdg', HOME: '/home/u' }, 'linux', '/xdg/agent-relay'],
    [{ XDG_DATA_HOME: 'relative', HOME: '/home/u' }, 'linux', '/home/u/.local/share/agent-relay'],
    [{ HOME: '/home/u' }, 'linux', '/home/u/.local/share/agent-relay'],
    [{}, 'linux', join(homedir(), '.local/share/agent-relay')],
    [
      { HOME: '/Users/u', XDG_DATA_HOME: '/xdg' },
      'darwin',
      '/Users/u/Library/Application Support/agent-relay',
    ],
  ] as const)('with %j on %s is %s', (env, platform, expected) => {
    expect(dataDirectory(env, platform)).toBe(expected);
  });

  test('has a directory for each project, and no name escapes it', () => {
    expect(projectDirectory('shop', { RELAY_DATA_DIR: '/data' })).toBe('/data/projects/shop');
    for (const name of ['..', '../x', 'a/b', '', '.hidden']) {
      expect(() => projectDirectory(name, { RELAY_DATA_DIR: '/data' })).toThrow(
        expect.objectContaining({ code: 'InvalidName' }),
      );
    }
  });
});

describe('the socket path', () => {
  test('is in the directory of the project, which only the user can enter', async () => {
    const env = { RELAY_DATA_DIR: join(directory, 'data') };
    const path = await prepareSocketPath('shop', env);
    expect(path).toBe(join(directory, 'data/projects/shop/daemon.sock'));
    expect(await mode(dirname(path))).toBe(0o700);
    expect(await findSocketPath('shop', env)).toBe(path);
  });

  test('that is too long moves to the runtime directory, and clients with another one find it', async () => {
    const env = { RELAY_DATA_DIR: longDirectory(), XDG_RUNTIME_DIR: directory };
    const path = await prepareSocketPath('shop', env);
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(MAX_SOCKET_PATH_BYTES);
    expect(dirname(path)).toBe(join(directory, 'agent-relay'));
    expect(await mode(dirname(path))).toBe(0o700);
    const pointer = join(projectDirectory('shop', env), 'daemon.sock.path');
    expect(await readFile(pointer, 'utf8')).toBe(path);
    expect(await mode(pointer)).toBe(0o600);
    expect(await findSocketPath('shop', { RELAY_DATA_DIR: longDirectory() })).toBe(path);
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    await new Promise((resolve) => server.close(resolve));
  });

  test('of exactly the limit stays, one byte more moves', async () => {
    const rest = '/projects/shop/daemon.sock'.length;
    const fill = MAX_SOCKET_PATH_BYTES - rest - directory.length - 1;
    const fitting = join(directory, 'x'.repeat(fill));
    expect(await prepareSocketPath('shop', { RELAY_DATA_DIR: fitting, XDG_RUNTIME_DIR: directory })).toBe(
      join(fitting, 'projects/shop/daemon.sock'),
    );
    expect(
      await prepareSocketPath('shop', { RELAY_DATA_DIR: `${fitting}x`, XDG_RUNTIME_DIR: directory }),
    ).toContain('/agent-relay/');
  });

  test('without a runtime directory is in the temporary one, under the user', async () => {
    const env = { RELAY_DATA_DIR: longDirectory(), TMPDIR: directory };
    const path = await prepareSocketPath('shop', env);
    expect(dirname(path)).toBe(join(directory, `agent-relay-${process.getuid?.()}`));
  });

  test('differs for each project and data directory', async () => {
    const env = { RELAY_DATA_DIR: longDirectory(), XDG_RUNTIME_DIR: directory };
    const paths = await Promise.all([
      prepareSocketPath('shop', env),
      prepareSocketPath('site', env),
      prepareSocketPath('shop', { ...env, RELAY_DATA_DIR: `${longDirectory()}2` }),
    ]);
    expect(new Set(paths).size).toBe(3);
  });

  test('is an error that says what to set, if no place is short enough', async () => {
    const env = {
      RELAY_DATA_DIR: longDirectory(),
      XDG_RUNTIME_DIR: longDirectory(),
      TMPDIR: longDirectory(),
    };
    await expect(prepareSocketPath('shop', env)).rejects.toMatchObject({
      code: 'InvalidSettings',
      next: expect.stringContaining('XDG_RUNTIME_DIR'),
    });
  });

  test('of a long data directory where no daemon ran, or whose runtime directory was wiped, is unknown', async () => {
    const env = { RELAY_DATA_DIR: longDirectory(), XDG_RUNTIME_DIR: directory };
    expect(await findSocketPath('shop', env)).toBeUndefined();
    await rm(dirname(await prepareSocketPath('shop', env)), { recursive: true });
    expect(await findSocketPath('shop', env)).toBeUndefined();
  });
});

describe('a directory of another user', () => {
  test.runIf(process.getuid?.() === 0)('is not searched by clients (needs root)', async () => {
    const path = join(directory, 'theirs');
    await mkdir(path);
    await lchown(path, 12345, 12345);
    const link = join(directory, 'data');
    await symlink(path, link);
    const refused = { code: 'NotAllowedToRunAs' };
    for (const RELAY_DATA_DIR of [path, link]) {
      const env = { RELAY_DATA_DIR };
      await expect(findSocketPath('shop', env)).rejects.toMatchObject(refused);
      await expect(localAgentToken('shop', 'Alice', env)).rejects.toMatchObject(refused);
    }
    const env = { RELAY_DATA_DIR: longDirectory(), XDG_RUNTIME_DIR: directory };
    await lchown(dirname(await prepareSocketPath('shop', env)), 12345, 12345);
    await expect(findSocketPath('shop', env)).rejects.toMatchObject(refused);
  });
});
