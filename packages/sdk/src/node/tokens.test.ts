import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newAgentToken, tokenId } from '@agent-relay/platform/secrets';
import { isAgentToken } from '@agent-relay/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runTogether } from '../../../../test/kit/run-together.ts';
import { publishProjectNames } from './discovery/project-names.ts';
import {
  localAgentToken,
  localTokenSource,
  removeLocalAgentToken,
  removeLocalAgentTokens,
  renameLocalAgentToken,
  replaceLocalAgentToken,
} from './tokens.ts';

let directory: string;
let env: Record<string, string>;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-tokens-'));
  env = { RELAY_DATA_DIR: directory };
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const tokenSource = (name: string) => localTokenSource(async () => 'shop', name, env);
const agents = () => join(directory, 'projects', 'shop', 'agents');

describe('the token of a local agent', () => {
  test('is created once, stored privately, and the same for every spelling of the name', async () => {
    const token = await localAgentToken('shop', 'Alice', env);
    expect(isAgentToken(token)).toBe(true);
    expect(await localAgentToken('shop', 'alice', env)).toBe(token);
    expect(await localAgentToken('shop', 'Bob', env)).not.toBe(token);
    expect(await localAgentToken('site', 'Alice', env)).not.toBe(token);
    const file = `${tokenId(token)}.token`;
    expect(await readdir(agents())).toEqual(expect.arrayContaining([file, 'alice.name', 'bob.name']));
    for (const kept of [file, 'alice.name'])
      expect((await lstat(join(agents(), kept))).mode & 0o777).toBe(0o600);
    expect((await lstat(agents())).mode & 0o777).toBe(0o700);
  });

  test('is the same for processes that ask at the same time', async () => {
    const [first = '', second] = await runTogether(
      2,
      `import { localAgentToken } from ${JSON.stringify(join(import.meta.dirname, 'tokens.ts'))};`,
      `const names = Array.from({ length: 20 }, (_, i) => 'Agent' + i);
       const tokens = names.map((name) => localAgentToken('shop', name, ${JSON.stringify(env)}));
       console.log(JSON.stringify(await Promise.all(tokens)));`,
    );
    expect(JSON.parse(first)).toHaveLength(20);
    expect(second).toBe(first);
    expect(await readdir(agents())).toHaveLength(40);
  });

  test('is stored before the daemon gets it, when it is replaced', async () => {
    const old = await localAgentToken('shop', 'Alice', env);
    let registered = '';
    const file = await replaceLocalAgentToken(
      'shop',
      'Alice',
      async (token) => {
        expect(await tokenSource('Alice')(tokenId(token))).toBe(token);
        registered = token;
      },
      env,
    );
    expect(file).toBe(join(agents(), `${tokenId(registered)}.token`));
    expect(await localAgentToken('shop', 'Alice', env)).toBe(registered);
    expect(registered).not.toBe(old);
  });

  test('is found by the id that the daemon sends, under any name', async () => {
    const [bob, alice] = [
      await localAgentToken('shop', 'Bob', env),
      await localAgentToken('shop', 'Alice', env),
    ];
    // Each has the name of the other now, and nothing on the disk knows it.
    expect(await tokenSource('Bob')(tokenId(alice))).toBe(alice);
    expect(await tokenSource('Alice')(tokenId(bob))).toBe(bob);
    expect(await localAgentToken('shop', 'Bob', env)).toBe(alice);
    expect(await tokenSource('Carol')(tokenId(alice))).toBe(alice);
    expect(await localAgentToken('shop', 'Bob', env)).not.toBe(alice);
    expect(await tokenSource('Bob')('0'.repeat(16))).toBeUndefined();
  });

  test('moves with the agent when it is renamed, and frees the old name', async () => {
    const token = await localAgentToken('shop', 'Alice', env);
    await renameLocalAgentToken('shop', 'Alice', 'Alicia', env);
    await renameLocalAgentToken('shop', 'Alicia', 'ALICIA', env);
    await renameLocalAgentToken('shop', 'Nobody', 'Somebody', env);
    expect(await localAgentToken('shop', 'Alicia', env)).toBe(token);
    expect((await readdir(agents())).sort()).toEqual([`${tokenId(token)}.token`, 'alicia.name'].sort());
    expect(await localAgentToken('shop', 'Alice', env)).not.toBe(token);
  });

  test('is the same under every name of its project', async () => {
    const token = await localAgentToken('shop', 'Alice', env);
    const formerNames = ['shop', 'depot'];
    await publishProjectNames([{ name: 'store', directory: 'shop', formerNames }], env);
    for (const name of ['store', ...formerNames])
      expect(await localAgentToken(name, 'Alice', env)).toBe(token);
  });

  test('of an earlier version is found by name and by id', async () => {
    const [alice, bob] = [newAgentToken(), newAgentToken()];
    await mkdir(agents(), { recursive: true, mode: 0o700 });
    await writeFile(join(agents(), 'alice.token'), `${alice}\n`);
    await writeFile(join(agents(), 'bob.token'), bob);
    expect(await localAgentToken('shop', 'Alice', env)).toBe(alice);
    expect(await tokenSource('Robert')(tokenId(bob))).toBe(bob);
    const files = [alice, bob].map((token) => `${tokenId(token)}.token`);
    expect((await readdir(agents())).sort()).toEqual([...files, 'alice.name', 'robert.name'].sort());
    expect(await localAgentToken('shop', 'Alice', env)).toBe(alice);
    expect(await localAgentToken('shop', 'Robert', env)).toBe(bob);
  });

  test.each(['', '../../../etc/passwd', '0'.repeat(16)])(
    'is created again if a hint (%j) leads nowhere',
    async (text) => {
      await localAgentToken('shop', 'Bob', env);
      await writeFile(join(agents(), 'alice.name'), text);
      const token = await localAgentToken('shop', 'Alice', env);
      expect(isAgentToken(token)).toBe(true);
      expect(await localAgentToken('shop', 'Alice', env)).toBe(token);
    },
  );

  test('is forgotten with the agent or its project', async () => {
    const token = await localAgentToken('shop', 'Alice', env);
    await removeLocalAgentToken('shop', 'Alice', env);
    expect(await localAgentToken('shop', 'Alice', env)).not.toBe(token);
    await removeLocalAgentTokens('shop', env);
    await expect(readdir(agents())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('that is damaged is an error that names the file', async () => {
    const file = `${tokenId(await localAgentToken('shop', 'Alice', env))}.token`;
    await writeFile(join(agents(), file), '');
    await expect(localAgentToken('shop', 'Alice', env)).rejects.toMatchObject({
      code: 'InvalidSettings',
      message: expect.stringContaining(file),
    });
  });

  test('is refused for invalid names', async () => {
    await expect(localAgentToken('shop', '../../evil', env)).rejects.toMatchObject({ code: 'InvalidName' });
    await expect(localAgentToken('shop', 'lead', env)).rejects.toMatchObject({ code: 'ReservedName' });
  });
});
