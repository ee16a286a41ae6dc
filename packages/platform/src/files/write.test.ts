import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTogether } from '../../../../test/kit/run-together.ts';
import { createOnce, writeAtomically } from './write.ts';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-write-'));
  file = join(directory, 'file');
});
afterEach(() => rm(directory, { recursive: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);
const content = () => readFile(file, 'utf8');

/** Runs `work` with another umask. */
async function withUmask(umask: number, work: () => Promise<unknown>): Promise<void> {
  const before = process.umask(umask);
  try {
    await work();
  } finally {
    process.umask(before);
  }
}

describe('a file written at once', () => {
  it.each([0o000, 0o027, 0o777])(
    'is private with umask %o, also in place of one that was open',
    async (umask) => {
      await withUmask(umask, () => writeAtomically(file, 'first'));
      expect(await modeOf(file)).toBe('600');
      await chmod(file, 0o666);
      await withUmask(umask, () => writeAtomically(file, Buffer.from('second')));
      expect([await modeOf(file), await content()]).toEqual(['600', 'second']);
      expect(await readdir(directory)).toEqual(['file']);
    },
  );

  it('replaces a link, and does not change its target', async () => {
    await writeFile(join(directory, 'elsewhere'), 'untouched');
    await symlink('elsewhere', file);
    await writeAtomically(file, 'new');
    expect((await lstat(file)).isFile()).toBe(true);
    expect(await readFile(join(directory, 'elsewhere'), 'utf8')).toBe('untouched');
  });

  it('keeps its link, mode and owner if asked to', async () => {
    const target = join(directory, 'dotfiles');
    await mkdir(target);
    await writeFile(join(target, 'config'), 'old');
    await chmod(join(target, 'config'), 0o644);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(join(target, 'config'), 12345, 54321);
    await symlink('dotfiles/config', file);
    await withUmask(0o077, () => writeAtomically(file, 'new', { keepAttributes: true }));
    expect(await readlink(file)).toBe('dotfiles/config');
    expect([await content(), await modeOf(file)]).toEqual(['new', '644']);
    if (isRoot) expect(await stat(file)).toMatchObject({ uid: 12345, gid: 54321 });
    expect(await readdir(target)).toEqual(['config']);
  });

  it('replaces a broken link', async () => {
    await symlink('nowhere', file);
    await writeAtomically(file, 'new', { keepAttributes: true });
    expect((await lstat(file)).isFile()).toBe(true);
  });

  it('is unchanged if the last check fails, with no temporary file left', async () => {
    await writeFile(file, 'old');
    const check = () => Promise.reject(new Error('changed'));
    await expect(writeAtomically(file, 'new', { check })).rejects.toThrow('changed');
    expect([await content(), await readdir(directory)]).toEqual(['old', ['file']]);
  });

  it('leaves no temporary file if it cannot be replaced', async () => {
    await mkdir(file);
    await expect(writeAtomically(file, 'new')).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await readdir(directory)).toEqual(['file']);
  });
});

describe('a file created once', () => {
  it('is private, and existing content stays', async () => {
    await withUmask(0, async () => expect(await createOnce(file, 'first\n')).toBe('first'));
    expect(await modeOf(file)).toBe('600');
    expect(await createOnce(file, 'second')).toBe('first');
    expect([await content(), await readdir(directory)]).toEqual(['first\n', ['file']]);
  });

  it('is not created through a link', async () => {
    await symlink('nowhere', file);
    await expect(createOnce(file, 'new')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(directory)).toEqual(['file']);
  });

  it('has the content of one of several concurrent writers, and all of them get it', async () => {
    const outputs = await runTogether(
      4,
      `import { createOnce } from ${JSON.stringify(join(import.meta.dirname, 'write.ts'))};`,
      `const files = Array.from({ length: 20 }, (_, i) => ${JSON.stringify(directory)} + '/' + i);
       console.log((await Promise.all(files.map((file) => createOnce(file, String(process.pid))))).join());`,
    );
    expect(outputs[0]).toMatch(/^(\d+,){19}\d+\n$/);
    expect(new Set(outputs).size).toBe(1);
    expect(await readdir(directory)).toHaveLength(20);
  });
});
