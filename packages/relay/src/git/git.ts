import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { RelayError } from '@agent-relay/protocol';
import { spawnWithUs } from './spawn-with-us.ts';

export interface GitResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Where git works. */
interface Place {
  /** Looks for the repository from here. */
  cwd?: string;
  /** Uses this git directory, whatever its configuration says about another one. */
  gitDir?: string;
  /** Its files. */
  workTree?: string;
  /** Instead of the index of the git directory. */
  index?: string;
}

interface Run {
  /** Default: the daemon's environment. */
  env?: NodeJS.ProcessEnv | undefined;
  input?: string;
  /** Input and output have one character for each byte, because file names need not be UTF-8. */
  bytes?: boolean;
  /**
   * A checkout may fetch what a partial clone lacks, by the remote's own settings: the files would be missing otherwise.
   * Nothing else reaches the network.
   */
  mayFetch?: boolean;
}

const MOST_OUTPUT = 256 * 1024 * 1024;
const NOWHERE = '/dev/null';

/**
 * What a repository may not choose: programs that git would run, and answers that git would believe instead of looking. Filters
 * (such as Git LFS) are the exception: without them git can neither write nor recognise the files. A look at the files of
 * a worktree runs only those of the user's own configuration (`daemon/worktrees/inspection.ts`).
 */
const OWN_SETTINGS = [
  ...[
    'core.fsmonitor=false',
    `core.hooksPath=${NOWHERE}`,
    'core.untrackedCache=false',
    'core.ignoreStat=false',
  ],
  ...['core.trustctime=true', 'core.checkStat=default'],
  ...[
    'diff.external=',
    'log.showSignature=false',
    'submodule.recurse=false',
    'gc.auto=0',
    'maintenance.auto=false',
  ],
].flatMap((setting) => ['-c', setting]);

/** The only way in which the relay runs git. A failure is a result; throws `CommandNotFound` if there is no git. */
export function git(place: Place, args: readonly string[], how: Run = {}): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  const { index } = place;
  const encoding = how.bytes ? 'latin1' : 'utf8';
  const env = { ...gitEnvironment(how), ...(index === undefined ? {} : { GIT_INDEX_FILE: index }) };
  const command = commandAt(place, args);
  const child = execFile(
    'git',
    command,
    { cwd: '/', env, encoding, maxBuffer: MOST_OUTPUT },
    (error, stdout, stderr) => {
      if (error?.code === 'ENOENT')
        reject(
          new RelayError('CommandNotFound', 'Program not found: git.', {
            next: 'Install git, or spawn the agent without a worktree.',
          }),
        );
      else
        resolve({
          code: error ? Number(error.code) || 1 : 0,
          stdout: stdout.replace(/\n$/, ''),
          stderr: stderr.trim(),
        });
    },
  );
  // Git says itself why it stopped reading.
  child.stdin?.on('error', () => undefined).end(how.input ?? '', encoding);
  return promise;
}

/** The same for what takes long, and must not go on without this process. */
export async function gitWithUs(
  place: Pick<Place, 'cwd'>,
  args: readonly string[],
  how: Pick<Run, 'env' | 'mayFetch'>,
): Promise<GitResult> {
  const child = spawnWithUs('git', commandAt(place, args), { cwd: '/', env: gitEnvironment(how) });
  const outputs = [text(child.stdout), text(child.stderr)];
  const [code]: Array<number | null> = await once(child, 'close');
  const [stdout = '', stderr = ''] = await Promise.all(outputs);
  return { code: code ?? 1, stdout: stdout.replace(/\n$/, ''), stderr: stderr.trim() };
}

function commandAt({ cwd, gitDir, workTree }: Place, args: readonly string[]): string[] {
  const at = [
    ...((cwd ?? workTree) === undefined ? [] : ['-C', cwd ?? workTree ?? '']),
    ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]),
    ...(workTree === undefined ? [] : [`--work-tree=${workTree}`]),
  ];
  return ['--no-pager', ...OWN_SETTINGS, ...at, ...args];
}

function gitEnvironment({ env, mayFetch }: Run): NodeJS.ProcessEnv {
  return {
    ...withoutGit(env ?? process.env),
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: `${NOWHERE}/none`,
    ...(mayFetch ? {} : { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }),
    LC_ALL: 'C.UTF-8',
  };
}

/**
 * Without variables such as GIT_DIR, which would make git work on another repository than the directory's, and without the
 * relay's own.
 */
export const withoutGit = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(GIT|RELAY)_/.test(name)));

/** What git complains about, on one line. */
export const complaintOf = ({ stderr, stdout }: GitResult): string =>
  (stderr || stdout).split('\n')[0]?.replace(/^(fatal|error): /, '') ?? '';

/** The items of a list that git ends with NUL characters. */
export const items = (list: string): string[] => list.split('\0').filter((item) => item !== '');

/** The git directory that all worktrees of a directory's repository share; undefined outside of repositories. */
export async function commonDirectory(cwd: string): Promise<string | undefined> {
  const found = await git({ cwd }, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  return found.code === 0 ? found.stdout : undefined;
}
