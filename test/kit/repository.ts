import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Runs git as a user without settings of their own. */
export function git(cwd: string, ...args: string[]): string {
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.com',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.com',
  };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** Makes a directory a repository with one commit; resolves with its id. */
export async function newRepository(
  directory: string,
  files: Record<string, string> = { 'README.md': 'Hello\n' },
): Promise<string> {
  mkdirSync(directory, { recursive: true });
  git(directory, 'init', '--quiet', '--initial-branch=main');
  return commit(directory, 'First', files);
}

export function commit(directory: string, subject: string, files: Record<string, string>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  git(directory, 'add', '--all');
  git(directory, 'commit', '--quiet', '--message', subject);
  return git(directory, 'rev-parse', 'HEAD');
}
