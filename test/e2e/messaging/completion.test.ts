import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../kit/cli.ts';
import { startDaemon, type TestDaemon } from '../../kit/daemon.ts';
import { expectFailure, output } from '../../kit/results.ts';
import { known } from './commands.ts';

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

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/** The lines a script of the shell prints. */
async function linesOf(shell: string, script: string, ...args: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(shell, ['-c', script, ...args], {
    env,
    cwd: daemon.projectDirectory,
    timeout: 30_000,
  });
  return stdout.split('\n').filter((line) => line !== '');
}

/** What bash itself proposes for a command line that ends where the cursor is. */
const inBash = (...words: string[]): Promise<string[]> =>
  linesOf(
    'bash',
    `source <(agent-relay completion bash)
     COMP_WORDS=(agent-relay "$@"); COMP_CWORD=$#
     _agent_relay; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    ...words,
  );

/** The same for fish. */
const inFish = (line: string): Promise<string[]> =>
  linesOf('fish', 'agent-relay completion fish | source; complete -C $argv[1]', `agent-relay ${line}`);

/** The completions of zsh for a line typed in a terminal, with Tab at its end. */
async function inZsh(line: string): Promise<string> {
  const typed = join(daemon.directory, 'typed');
  const startup = 'autoload -U compinit; compinit -D -u; source <(agent-relay completion zsh)\n';
  await writeFile(join(daemon.directory, '.zshrc'), startup);
  // Tab, then to the start of the line and to its end, to have the line printed instead of run.
  const keys = `agent-relay ${line}\t\x01print -r -- \x05 >${typed}; exit`;
  const terminal =
    'zmodload zsh/zpty; zpty terminal zsh -i; zpty -w terminal "$1"; while zpty -r terminal; do; done';
  await linesOf('zsh', terminal, 'zsh', keys);
  return (await readFile(typed, 'utf8')).trim();
}

describe('shell completion', () => {
  it('completes commands, agents and channels in bash', async () => {
    expect(await inBash('cha')).toEqual(['chat', 'channel']);
    expect(await inBash('send', 'Al')).toEqual(['Alice', 'Alberta']);
    expect(await inBash('send', '\\#')).toEqual(['\\#general']);
    // Bash splits a word before and after an @.
    expect(await inBash('send', '@', 'Al')).toEqual(['@Alice', '@Alberta']);
    expect(await inBash('channel', 'invite', 'general', '@')).toEqual(
      expect.arrayContaining(['@Alice', '@Alberta']),
    );
    expect(await inBash('send', '"@Alb')).toEqual(['@Alberta']);
    // In quotes a backslash would stay: bash only closes them.
    expect(await inBash('send', '"#g')).toEqual(['#general']);
    expect(await inBash('send', "'#g")).toEqual(['#general']);
    expect(await inBash('channel', 'members', '')).toEqual(['general']);
    expect(await inBash('inbox', '--project', 'ghost', '--from', 'A')).toEqual([]);
  });

  it.each(['bash', 'zsh', 'fish'])('prints the script for %s', async (shell) => {
    expect(output(await daemon.cli(['completion', shell]))).toContain(`completion ${shell} --complete`);
  });

  it.skipIf(!has('fish'))('completes the same in fish (needs the package fish)', async () => {
    expect(await inFish('cha')).toEqual(['channel', 'chat']);
    expect(await inFish('send Al')).toEqual(['Alberta', 'Alice']);
    expect(await inFish("send '#")).toEqual(['#general']);
    expect(await inFish('channel members ')).toEqual(['general']);
    expect(await inFish('inbox --project ghost --from A')).toEqual([]);
  });

  it.skipIf(!has('zsh'))('completes on Tab in zsh (needs the package zsh)', async () => {
    expect(await inZsh('channel memb')).toBe('agent-relay channel members');
    expect(await inZsh('send Alic')).toBe('agent-relay send Alice');
    expect(await inZsh('send Al')).toBe('agent-relay send Al');
    expect(await inZsh("send '#gen")).toBe('agent-relay send #general');
    expect(await inZsh('inbox --from Alb')).toBe('agent-relay inbox --from Alberta');
  });

  it('supports three shells', async () => {
    expectFailure(await daemon.cli(['completion', 'csh']), 2, /bash, zsh, fish/);
  });
});
