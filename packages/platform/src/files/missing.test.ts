import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isThere, readIfThere } from './missing.ts';

it('treats ENOENT and ENOTDIR as missing, and throws any other error', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'relay-missing-'));
  try {
    const file = join(directory, 'file');
    await writeFile(file, ' content\n');
    await symlink('nowhere', join(directory, 'dangling'));
    expect(await readIfThere(file)).toBe('content');
    for (const path of ['nothing', 'file/below', 'dangling'])
      expect(await readIfThere(join(directory, path))).toBeUndefined();
    await expect(readIfThere(directory)).rejects.toMatchObject({ code: 'EISDIR' });
    const found = await Promise.all(
      ['file', 'dangling', 'nothing', 'file/below'].map((path) => isThere(join(directory, path))),
    );
    expect(found).toEqual([true, true, false, false]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
