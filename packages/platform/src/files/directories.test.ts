import { chmod, lchown, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensurePrivateDirectory } from './directories.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-directories-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const mode = async (path: string) => (await lstat(path)).mode & 0o777;

describe('private directories', () => {
  test('are created with their parents, also by several processes at once', async () => {
    const path = join(directory, 'a/b/c');
    await Promise.all([ensurePrivateDirectory(path), ensurePrivateDirectory(path)]);
    expect(await mode(join(directory, 'a'))).toBe(0o700);
    expect(await mode(path)).toBe(0o700);
  });

  test('that cannot be created are refused with a reason and the setting to change', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    await symlink('nowhere', join(directory, 'dangling'));
    // Making one in /proc fails as if /proc itself were not there.
    const impossible = [file, join(file, 'below'), join(directory, 'dangling')];
    if (process.platform === 'linux') impossible.push('/proc/agent-relay', '/proc/agent-relay/below');
    for (const path of impossible) {
      await expect(ensurePrivateDirectory(path)).rejects.toMatchObject({
        code: 'InvalidSettings',
        message: expect.stringMatching(new RegExp(`${path} cannot be used \\(E[A-Z]+\\)`)),
        next: expect.stringContaining('RELAY_DATA_DIR'),
      });
    }
  });

  test('are made private, even if they were open before', async () => {
    const path = join(directory, 'open');
    await mkdir(path);
    await chmod(path, 0o755);
    await ensurePrivateDirectory(path);
    expect(await mode(path)).toBe(0o700);
  });

  test('that are shared by all users are refused and not changed', async () => {
    for (const shared of [0o1777, 0o555]) {
      const path = join(directory, `shared-${shared}`);
      await mkdir(path);
      await chmod(path, shared);
      await expect(ensurePrivateDirectory(path)).rejects.toMatchObject({
        code: 'InvalidSettings',
        next: expect.stringContaining('RELAY_DATA_DIR'),
      });
      expect(((await lstat(path)).mode & 0o7777).toString(8)).toBe(shared.toString(8));
    }
  });

  test('behind a link are checked like others: closed, or refused and not changed', async () => {
    const [open, shared] = [join(directory, 'open'), join(directory, 'shared')];
    await mkdir(open);
    await chmod(open, 0o755);
    await mkdir(shared);
    await chmod(shared, 0o1777);
    const link = join(directory, 'link');
    await symlink('open', link);
    await ensurePrivateDirectory(link);
    expect(await mode(open)).toBe(0o700);
    await rm(link);
    await symlink('shared', link);
    await expect(ensurePrivateDirectory(link)).rejects.toMatchObject({ code: 'InvalidSettings' });
    expect((await lstat(shared)).mode & 0o7777).toBe(0o1777);
  });

  test.runIf(process.getuid?.() === 0)(
    'with files that another user left in them are refused, every time',
    async () => {
      const path = join(directory, 'open');
      await mkdir(path);
      await chmod(path, 0o777);
      await writeFile(join(path, 'daemon.json'), '{}');
      await lchown(join(path, 'daemon.json'), 12345, 12345);
      for (const _again of [1, 2]) {
        await expect(ensurePrivateDirectory(path)).rejects.toMatchObject({
          code: 'NotAllowedToRunAs',
          message: expect.stringContaining(join(path, 'daemon.json')),
        });
      }
      await rm(join(path, 'daemon.json'));
      await ensurePrivateDirectory(path);
      expect(await mode(path)).toBe(0o700);
    },
  );

  test.skipIf(process.getuid?.() === 0)('of another user are refused', async () => {
    await expect(ensurePrivateDirectory('/etc')).rejects.toMatchObject({ code: 'NotAllowedToRunAs' });
  });

  test.runIf(process.getuid?.() === 0)('of another user are refused, also behind a link', async () => {
    const path = join(directory, 'theirs');
    await mkdir(path);
    await lchown(path, 12345, 12345);
    await expect(ensurePrivateDirectory(path)).rejects.toMatchObject({ code: 'NotAllowedToRunAs' });
    const link = join(directory, 'link');
    await symlink(directory, link);
    await lchown(link, 12345, 12345);
    await expect(ensurePrivateDirectory(link)).rejects.toMatchObject({ code: 'NotAllowedToRunAs' });
  });
});
