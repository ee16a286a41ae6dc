import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';
import { expectFailure, known, output } from './messaging-commands.ts';

let daemon: TestDaemon;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  daemon = await startDaemon();
  await known(daemon, 'Alice', 'Alberta');
  const bin = join(daemon.directory, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'agent-relay'), `#!/bin/sh\nexec ${process.execPath} ${PROGRAM} "$@"\n`);
  await chmod(join(bin, 'agent-relay'), 0o755);
  env = { ...daemon.env, PATH: `${bin}:${daemon.env.PATH}` };
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** What bash itself proposes for a command line that ends where the cursor is. */
async function inBash(...words: string[]): Promise<string[]> {
  const script = `source <(agent-relay completion bash)
    COMP_WORDS=(agent-relay "$@"); COMP_CWORD=$#
    _agent_relay; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words], {
    env,
    cwd: daemon.projectDirectory,
  });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('shell completion', () => {
  it('proposes commands, agents and channels in bash', async () => {
    expect(await inBash('cha')).toEqual(['chat', 'channel']);
    expect(await inBash('send', 'Al')).toEqual(['Alice', 'Alberta']);
    expect(await inBash('send', '\\#')).toEqual(['\\#general']);
    expect(await inBash('channel', 'members', '')).toEqual(['general']);
    expect(await inBash('inbox', '--project', 'ghost', '--from', 'A')).toEqual([]);
  });

  it.each(['bash', 'zsh', 'fish'])('prints a script that %s can read', async (shell) => {
    const script = output(await daemon.cli(['completion', shell]));
    expect(script).toContain(`completion ${shell} --complete`);
    if (spawnSync(shell, ['--version']).status !== 0) return;
    const file = join(daemon.directory, `completion.${shell}`);
    await writeFile(file, script);
    expect(spawnSync(shell, ['-n', file]).status).toBe(0);
  });

  it('knows three shells', async () => {
    expectFailure(await daemon.cli(['completion', 'csh']), 2, /bash, zsh, fish/);
  });
});
