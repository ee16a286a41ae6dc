import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listenOnSocket } from './unix-socket.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'relay-socket-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const DEAF = () => ({
  text: () => undefined,
  invalid: () => undefined,
  drained: () => undefined,
  closed: () => undefined,
});

describe('the local socket', () => {
  it('can be opened by its owner only', async () => {
    const path = join(directory, 'own.sock');
    const server = await listenOnSocket(path, 1000, DEAF);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    server.close();
  });

  it('replaces the socket of a dead daemon', async () => {
    const path = join(directory, 'stale.sock');
    writeFileSync(path, '');
    const server = await listenOnSocket(path, 1000, DEAF);
    expect(statSync(path).isSocket()).toBe(true);
    server.close();
  });

  it('that cannot be created is an error', async () => {
    await expect(listenOnSocket(join(directory, 'no', 'such.sock'), 1000, DEAF)).rejects.toThrow(
      /ENOENT|EACCES/,
    );
  });
});
