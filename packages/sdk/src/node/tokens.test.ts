import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAgentToken } from '@agent-relay/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runTogether } from '../../../../test/kit/run-together.ts';
import {
  localAgentToken,
  moveLocalAgentTokens,
  removeLocalAgentToken,
  removeLocalAgentTokens,
  renameLocalAgentToken,
  storeLocalAgentToken,
} from './tokens.ts';

let directory: string;
let env: Record<string, string>;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'relay-tokens-'));
  env = { RELAY_DATA_DIR: directory };
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const agents = () => join(directory, 'projects', 'shop', 'agents');

describe('the token of a local agent', () => {
  test('is made once, kept privately, and the same for every spelling of the name', async () => {
    const token = await localAgentToken('shop', 'Alice', env);
    expect(isAgentToken(token)).toBe(true);
    expect(await localAgentToken('shop', 'alice', env)).toBe(token);
    expect(await localAgentToken('shop', 'Bob', env)).not.toBe(token);
    expect(await localAgentToken('site', 'Alice', env)).not.toBe(token);
    expect((await readdir(agents())).sort()).toEqual(['alice.token', 'bob.token']);
    expect((await lstat(join(agents(), 'alice.token'))).mode & 0o777).toBe(0o600);
    expect((await lstat(agents())).mode & 0o777).toBe(0o700);
  });

  test('is the same for processes that ask at the same moment', async () => {
    const [first = '', second] = await runTogether(
      2,
      `import { localAgentToken } from ${JSON.stringify(join(import.meta.dirname, 'tokens.ts'))};`,
      `const names = Array.from({ length: 20 }, (_, i) => 'Agent' + i);
       const tokens = names.map((name) => localAgentToken('shop', name, ${JSON.stringify(env)}));
       console.log(JSON.stringify(await Promise.all(tokens)));`,
    );
    expect(JSON.parse(first)).toHaveLength(20);
    expect(second).toBe(first);
    expect((await readdir(agents())).every((file) => file.endsWith('.token'))).toBe(true);
  });

  test('can be replaced by one the daemon issued', async () => {
    const old = await localAgentToken('shop', 'Alice', env);
    const issued = `at_${'n'.repeat(43)}`;
    const file = await storeLocalAgentToken('shop', 'Alice', issued, env);
    expect(file).toBe(join(agents(), 'alice.token'));
    expect(await localAgentToken('shop', 'Alice', env)).toBe(issued);
    expect(old).not.toBe(issued);
  });

  test('goes along when the agent or its project gets another name', async () => {
    const token = await localAgentToken('shop', 'Alice', env);
    await renameLocalAgentToken('shop', 'Alice', 'Alicia', env);
    await renameLocalAgentToken('shop', 'Nobody', 'Somebody', env);
    expect(await readdir(agents())).toEqual(['alicia.token']);
    await localAgentToken('site', 'Stale', env);
    await moveLocalAgentTokens('shop', 'site', env);
    await moveLocalAgentTokens('empty', 'other', env);
    expect(await localAgentToken('site', 'Alicia', env)).toBe(token);
    expect(await readdir(join(directory, 'projects', 'site', 'agents'))).toEqual(['alicia.token']);
    for (const [before, name] of [
      ['site', 'Site'],
      ['Site', 'Site'],
      ['Site', 'site'],
    ] as const) {
      await moveLocalAgentTokens(before, name, env);
      expect(await localAgentToken(name, 'Alicia', env)).toBe(token);
    }
  });

  test('is forgotten with the agent or its project', async () => {
    const token = await localAgentToken('shop', 'Alice', env);
    await removeLocalAgentToken('shop', 'Alice', env);
    expect(await localAgentToken('shop', 'Alice', env)).not.toBe(token);
    await removeLocalAgentTokens('shop', env);
    await expect(readdir(agents())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('that is damaged is an error that names the file', async () => {
    await localAgentToken('shop', 'Alice', env);
    await writeFile(join(agents(), 'alice.token'), '');
    await expect(localAgentToken('shop', 'Alice', env)).rejects.toMatchObject({
      code: 'InvalidSettings',
      message: expect.stringContaining('alice.token'),
    });
  });

  test('is refused for names no agent can have', async () => {
    await expect(localAgentToken('shop', '../../evil', env)).rejects.toMatchObject({ code: 'InvalidName' });
    await expect(localAgentToken('shop', 'lead', env)).rejects.toMatchObject({ code: 'ReservedName' });
  });
});
