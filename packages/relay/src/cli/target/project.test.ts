import { execFile } from 'node:child_process';
import {
  chmod,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { prepareSocketPath, publishProjectNames } from '@agent-relay/sdk/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProjectLocation, openProjectAt } from './project.ts';

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'relay-home-')));
});
afterEach(() => rm(home, { recursive: true }));

async function make(...path: string[]): Promise<string> {
  const directory = join(home, ...path);
  await mkdir(directory, { recursive: true });
  return directory;
}
/** What `git worktree add` makes, of a repository with one commit. */
async function addWorktree(repository: string, worktree: string): Promise<string> {
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  await git('init', '-q');
  await git('commit', '-q', '--allow-empty', '-m', 'first');
  await git('worktree', 'add', '-q', worktree);
  return worktree;
}
const locationOf = (directory: string, options = {}) =>
  findProjectLocation(options, { HOME: home, RELAY_PROJECT_ROOT: directory });
const recordAt = (root: string) =>
  openProjectAt({ root, recorded: true }, async () => ({ project: 'shop-2', socketPath: '/run/shop.sock' }));

describe('the location of a project', () => {
  it('is the nearest git root', async () => {
    const repository = await make('code', 'shop');
    await make('code', 'shop', '.git');
    expect(await locationOf(await make('code', 'shop', 'src', 'cart'))).toEqual({
      root: repository,
      recorded: true,
    });
  });

  it.runIf(process.getuid?.() === 0)(
    "is not another user's git root in a shared directory such as /tmp (needs root)",
    async () => {
      const shared = await make('tmp');
      await chmod(shared, 0o1777);
      const root = await make('tmp', 'notes');
      const git = await make('tmp', '.git');
      expect(await locationOf(root)).toMatchObject({ root: shared });
      await lchown(git, 12345, 12345);
      expect(await locationOf(root)).toMatchObject({ root });
      await chmod(shared, 0o755);
      expect(await locationOf(root)).toMatchObject({ root: shared });
    },
  );

  it('is the repository for its worktrees, which can have their own project', async () => {
    const repository = await make('code', 'shop');
    const worktree = await addWorktree(repository, join(home, 'code', 'shop-fix'));
    const inside = await make('code', 'shop-fix', 'src');
    expect(await locationOf(inside)).toEqual({ root: repository, recorded: true });
    await recordAt(repository);
    expect(await locationOf(inside)).toMatchObject({ root: repository, project: 'shop-2' });
    const own = await locationOf(inside, { project: 'fix' });
    expect(own).toEqual({ root: worktree, project: 'fix', recorded: true });
    await openProjectAt(own, async () => ({ project: 'fix', socketPath: '/run/fix.sock' }));
    expect(await locationOf(inside)).toMatchObject({ root: worktree, project: 'fix' });
    expect(await locationOf(repository)).toMatchObject({ root: repository, project: 'shop-2' });
  });

  it('is the directory itself outside git', async () => {
    const directory = await make('notes');
    expect(await locationOf(directory)).toEqual({ root: directory, recorded: true });
  });

  it('is the nearest recorded directory, under its recorded name', async () => {
    const root = await make('code', 'shop');
    await recordAt(root);
    expect(await locationOf(await make('code', 'shop', 'src'))).toEqual({
      root,
      project: 'shop-2',
      recorded: true,
    });
    expect(await readFile(join(root, '.relay', '.gitignore'), 'utf8')).toBe('*\n');
    expect(JSON.parse(await readFile(join(root, '.relay', 'config.json'), 'utf8'))).toEqual({
      project: 'shop-2',
      socketPath: '/run/shop.sock',
    });
  });

  it('has the current name of its project, even if an old one is recorded', async () => {
    const root = await make('code', 'shop');
    await recordAt(root);
    const env = { HOME: home, RELAY_PROJECT_ROOT: root, RELAY_DATA_DIR: join(home, 'data') };
    await prepareSocketPath('shop-2', env);
    await publishProjectNames([{ name: 'store', directory: 'shop-2', formerNames: ['shop-2'] }], env);
    expect(await findProjectLocation({}, env)).toMatchObject({ root, project: 'store' });
    expect(await findProjectLocation({ project: 'shop-2' }, env)).toMatchObject({ root, project: 'shop-2' });
  });

  it('is recorded without following links in the repository', async () => {
    const root = await make('clone');
    await make('clone', '.relay');
    await writeFile(join(home, '.bashrc'), 'precious');
    for (const name of ['.gitignore', 'config.json'])
      await symlink('../../.bashrc', join(root, '.relay', name));
    await recordAt(root);
    expect(await readFile(join(home, '.bashrc'), 'utf8')).toBe('precious');
    expect(await readFile(join(root, '.relay', '.gitignore'), 'utf8')).toBe('*\n');
    expect(await locationOf(root)).toMatchObject({ project: 'shop-2' });
  });

  it.each(['target', 'nowhere'])('is not recorded through a .relay that is a link to %s', async (target) => {
    const elsewhere = await make('target');
    await symlink(`../${target}`, join(await make('clone'), '.relay'));
    await expect(recordAt(join(home, 'clone'))).rejects.toMatchObject({ code: 'InvalidSettings' });
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('is not opened if it cannot be recorded', async () => {
    const opened: string[] = [];
    const open = async (root: string) => {
      opened.push(root);
      return { project: 'shop', socketPath: '/run/shop.sock' };
    };
    const unwritable = [join(home, 'nowhere'), ...(process.platform === 'linux' ? ['/proc'] : [])];
    if (process.getuid?.() !== 0) {
      unwritable.push(await make('read-only'));
      await chmod(join(home, 'read-only'), 0o500);
    }
    for (const root of unwritable) {
      await expect(openProjectAt({ root, recorded: true }, open)).rejects.toMatchObject({
        code: 'InvalidSettings',
        message: expect.stringContaining(join(root, '.relay')),
        next: expect.stringContaining('RELAY_PROJECT_ROOT'),
      });
    }
    expect(opened).toEqual([]);
  });

  it('uses the requested name', async () => {
    const directory = await make('notes');
    expect(await locationOf(directory, { project: 'diary' })).toMatchObject({ project: 'diary' });
  });

  it('is the default project at home and at the root, which get no files', async () => {
    const location = await locationOf(home);
    expect(location).toEqual({ root: home, recorded: false });
    expect(await locationOf('/')).toEqual({ root: '/', recorded: false });
    const open = async (_root: string, name?: string) => ({
      project: name ?? '',
      socketPath: '/run/relay.sock',
    });
    const opened = await openProjectAt(location, open);
    expect(opened.project).toBe('default');
    await expect(readFile(join(home, '.relay', 'config.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is not the home directory, even if that is a git repository', async () => {
    await make('.git');
    const directory = await make('notes');
    expect(await locationOf(directory)).toEqual({ root: directory, recorded: true });
  });

  it('is refused when its record cannot be read', async () => {
    const root = await make('broken', '.relay');
    await writeFile(join(root, 'config.json'), '{');
    await expect(locationOf(join(home, 'broken'))).rejects.toMatchObject({ code: 'InvalidSettings' });
  });
});
