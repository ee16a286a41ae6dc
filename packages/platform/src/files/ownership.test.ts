import type { Stats } from 'node:fs';
import { lchown, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkOwner, isWritableByOthers } from './ownership.ts';

it.each([
  [0o700, 1000, false],
  [0o755, 1000, false],
  [0o770, 1000, false],
  [0o770, 50, true],
  [0o702, 1000, true],
])('mode %o of user 1000 and group %i: writable by others is %s', (mode, gid, expected) => {
  expect(isWritableByOthers({ mode, uid: 1000, gid } as Stats)).toBe(expected);
});

it('checks the target of links, and refuses a link to itself', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'relay-owner-'));
  try {
    const at = (name: string) => join(directory, name);
    await writeFile(at('file'), 'abc');
    await symlink('file', at('first'));
    await symlink(at('first'), at('second'));
    expect((await checkOwner(at('second'))).size).toBe(3);
    await symlink('itself', at('itself'));
    await expect(checkOwner(at('itself'))).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(checkOwner(at('nothing'))).rejects.toMatchObject({ code: 'ENOENT' });
    if (process.getuid?.() !== 0) return;
    await lchown(at('file'), 12345, 12345);
    await expect(checkOwner(at('second'))).rejects.toMatchObject({ code: 'NotAllowedToRunAs' });
  } finally {
    await rm(directory, { recursive: true });
  }
});
