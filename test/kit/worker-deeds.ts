import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { git } from './repository.ts';

/** A worker's place. */
export interface Bench {
  repository: string;
  worktree: string;
  branch: string;
  /** For programs that it configures. */
  tools: string;
}

/** What a worker may do in its worktree; `n` makes names and contents differ. A deed that git refuses is not done. */
type Deed = (bench: Bench, n: number) => void;

const TRACKED = ['README.md', 'src/a.txt', 'src/b.txt', 'docs/guide.md'];
const tracked = (n: number): string => TRACKED[n % TRACKED.length] ?? 'README.md';

function write(directory: string, name: string, content: string): void {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const program = ({ tools }: Bench, name: string, script: string): string => {
  write(tools, name, `#!/bin/sh\n${script}\n`);
  chmodSync(join(tools, name), 0o755);
  return join(tools, name);
};

/** Commits everything that the worker's git shows. */
function commitAll(cwd: string, n: number, ...more: string[]): void {
  git(cwd, 'add', '--all');
  git(cwd, 'commit', '--quiet', '--message', `Work ${n}`, ...more);
}

export const DEEDS = {
  'writes a file': ({ worktree }, n) => write(worktree, `src/new-${n}.txt`, `new ${n}\n`),
  'edits a file': ({ worktree }, n) => write(worktree, tracked(n), `edited ${n}\n`),
  'deletes a file': ({ worktree }, n) => rmSync(join(worktree, tracked(n)), { force: true }),
  'makes a program': ({ worktree }, n) => {
    write(worktree, `bin/run-${n}`, 'exit 0\n');
    chmodSync(join(worktree, `bin/run-${n}`), 0o755);
  },
  'makes a link': ({ worktree }, n) => symlinkSync('README.md', join(worktree, `link-${n}`)),
  'makes ignored files': ({ worktree }, n) => {
    write(worktree, `build/out-${n}.js`, `out ${n}\n`);
    write(worktree, `src/trace-${n}.log`, `log ${n}\n`);
  },
  commits: ({ worktree }, n) => {
    write(worktree, `src/work-${n}.txt`, `work ${n}\n`);
    commitAll(worktree, n);
  },
  'commits what it has': ({ worktree }, n) => commitAll(worktree, n),
  amends: ({ worktree }, n) => {
    write(worktree, `src/amended-${n}.txt`, `amended ${n}\n`);
    commitAll(worktree, n, '--amend');
  },
  detaches: ({ worktree }) => void git(worktree, 'checkout', '--quiet', '--detach'),
  'goes back': ({ worktree, branch }) => void git(worktree, 'checkout', '--quiet', branch),
  'drops a commit': ({ worktree }) => void git(worktree, 'reset', '--quiet', '--hard', 'HEAD~1'),
  'starts over': ({ worktree, branch }) => {
    git(worktree, 'checkout', '--quiet', '--force', branch);
    git(worktree, 'reset', '--quiet', '--hard', 'main');
    git(worktree, 'clean', '--quiet', '-d', '--force');
  },
  rebases: ({ worktree }) => void git(worktree, 'rebase', '--quiet', '--signoff', 'HEAD~2'),
  'stops in a rebase': (bench) => {
    const editor = program(bench, 'edit', 'sed -i 1s/pick/edit/ "$1"');
    git(bench.worktree, '-c', `sequence.editor=${editor}`, 'rebase', '--quiet', '--interactive', 'HEAD~2');
  },
  'rebases with changes': ({ worktree }, n) => {
    write(worktree, tracked(n), `before the rebase ${n}\n`);
    git(worktree, 'rebase', '--quiet', '--autostash', '--force-rebase', 'HEAD~1');
  },
  'merges a conflict': ({ worktree }, n) => {
    git(worktree, 'checkout', '--quiet', '-b', `side-${n}`, 'HEAD~1');
    write(worktree, 'README.md', `side ${n}\n`);
    commitAll(worktree, n);
    git(worktree, 'merge', '--quiet', '--no-edit', '-');
  },
  'picks a commit': ({ worktree }, n) => {
    git(worktree, 'checkout', '--quiet', '--detach', 'HEAD~1');
    write(worktree, 'README.md', `picked ${n}\n`);
    commitAll(worktree, n);
    git(worktree, 'checkout', '--quiet', '-');
    git(worktree, 'cherry-pick', '@{1}');
  },
  'deletes a branch': ({ worktree, branch }, n) => {
    git(worktree, 'checkout', '--quiet', '-b', `short-${n}`);
    write(worktree, `src/short-${n}.txt`, `short ${n}\n`);
    commitAll(worktree, n);
    git(worktree, 'checkout', '--quiet', branch);
    git(worktree, 'branch', '--quiet', '-D', `short-${n}`);
  },
  'keeps a ref of its own': ({ worktree }, n) =>
    void git(worktree, 'update-ref', `refs/worktree/${n}`, 'HEAD'),
  bisects: ({ worktree }) => void git(worktree, 'bisect', 'start', 'HEAD', 'HEAD~1'),
  stashes: ({ worktree }, n) => {
    write(worktree, tracked(n), `stashed ${n}\n`);
    git(worktree, 'stash', 'push', '--quiet', '--include-untracked');
  },
  'takes its stash': ({ worktree }) => void git(worktree, 'stash', 'pop', '--quiet'),
  'stages and takes back': ({ worktree }, n) => {
    write(worktree, tracked(n), `staged ${n}\n`);
    git(worktree, 'add', '--all');
    git(worktree, 'restore', '--worktree', '--source=HEAD', '.');
  },
  'assumes a file unchanged': ({ worktree }, n) => {
    git(worktree, 'update-index', '--assume-unchanged', tracked(n));
    write(worktree, tracked(n), `assumed ${n}\n`);
  },
  'skips a file': ({ worktree }, n) => {
    git(worktree, 'update-index', '--skip-worktree', tracked(n));
    write(worktree, tracked(n), `skipped ${n}\n`);
  },
  'looks at some files only': ({ worktree }) => void git(worktree, 'sparse-checkout', 'set', 'src'),
  'hides an edit by its time': ({ worktree }, n) => {
    const path = join(worktree, tracked(n));
    const { atime, mtime, size } = statSync(path);
    git(worktree, 'config', 'core.trustctime', 'false');
    writeFileSync(path, `${n}`.padEnd(size, 'x').slice(0, size));
    utimesSync(path, atime, mtime);
  },
  'has a lying monitor': (bench, n) => {
    const monitor = program(bench, 'monitor', String.raw`printf 'token\0'`);
    git(bench.worktree, 'config', 'core.fsmonitor', monitor);
    git(bench.worktree, 'config', 'core.fsmonitorHookVersion', '2');
    git(bench.worktree, 'status');
    write(bench.worktree, tracked(n), `unseen ${n}\n`);
    write(bench.worktree, `src/unseen-${n}.txt`, `unseen ${n}\n`);
  },
  'has a lying filter': ({ worktree, repository }, n) => {
    git(worktree, 'config', 'filter.lie.clean', 'git cat-file blob HEAD:%f');
    appendFileSync(join(repository, '.git/info/exclude'), '');
    appendFileSync(join(repository, '.git/info/attributes'), '*.txt filter=lie\n');
    write(worktree, 'src/a.txt', `filtered ${n}\n`);
  },
  'ignores its notes': ({ worktree }, n) => {
    write(worktree, `notes/${n}.md`, `notes ${n}\n`);
    appendFileSync(join(worktree, '.gitignore'), 'notes/\n');
  },
  'ignores its notes silently': ({ worktree }, n) => {
    git(worktree, 'update-index', '--assume-unchanged', '.gitignore');
    write(worktree, `silent-${n}.md`, `silent ${n}\n`);
    appendFileSync(join(worktree, '.gitignore'), 'silent-*\n');
  },
  'ignores in a directory': ({ worktree }, n) => {
    write(worktree, `cache-${n}/data`, `data ${n}\n`);
    write(worktree, `cache-${n}/.gitignore`, '*\n');
  },
  'excludes its notes': ({ worktree, repository }, n) => {
    mkdirSync(join(repository, '.git/info'), { recursive: true });
    appendFileSync(join(repository, '.git/info/exclude'), 'excluded-*\n');
    write(worktree, `excluded-${n}.md`, `excluded ${n}\n`);
  },
  'configures what is ignored': (bench, n) => {
    write(bench.tools, 'excludes', 'configured-*\n');
    git(bench.worktree, 'config', 'core.excludesFile', join(bench.tools, 'excludes'));
    write(bench.worktree, `configured-${n}.md`, `configured ${n}\n`);
  },
  'has a repository inside': ({ worktree }, n) => {
    const inner = join(worktree, n % 2 === 0 ? 'src' : `inner-${n}`);
    mkdirSync(inner, { recursive: true });
    git(inner, 'init', '--quiet');
    git(inner, 'commit', '--quiet', '--allow-empty', '--message', `Inner ${n}`);
  },
  'is merged': ({ worktree, repository }) => {
    git(repository, 'merge', '--quiet', '--no-edit', git(worktree, 'rev-parse', 'HEAD'));
  },
  'has its work on a branch': ({ worktree }, n) => void git(worktree, 'branch', `saved-${n}`),
} satisfies Record<string, Deed>;

export type DeedName = keyof typeof DEEDS;
export const DEED_NAMES = Object.keys(DEEDS) as DeedName[];

/** Does what it can: git refuses some deeds after others. */
export function does(bench: Bench, deed: DeedName, n: number): void {
  try {
    DEEDS[deed](bench, n);
  } catch (error) {
    // What git or the file system refuses.
    if (!(error instanceof Error) || !('status' in error || 'code' in error)) throw error;
  }
}
