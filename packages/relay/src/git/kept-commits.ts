import { RelayError } from '@agent-relay/protocol';
import { complaintOf, type GitResult, git } from './git.ts';

/** A commit of a released worker that no branch has: a ref in its repository keeps it from git's clean-up. */
export interface KeptCommit {
  ref: string;
  commit: string;
  subject: string;
  agent: string;
  run: string;
  keptAt: number;
}

/** Whose commits they are. */
export interface RunName {
  agent: string;
  run: string;
}

const ROOT = 'refs/relay';
const DAY_MS = 86_400_000;
/** As long as git itself remembers what a branch no longer has. */
const KEPT_MS = 30 * DAY_MS;

export const expiryOf = ({ keptAt }: Pick<KeptCommit, 'keptAt'>): number => keptAt + KEPT_MS;

/** The refs of one run: `refs/relay/Tests/run_…/1`, `…/2`. */
export const refsOf = ({ agent, run }: RunName): string => `${ROOT}/${agent}/${run}/`;

/** A date and a subject, so that the refs alone tell everything. */
const FIELDS = [
  ...['%(refname)', '%(objectname)', '%(objecttype)', '%(taggerdate:unix)', '%(*objectname)'],
  '%(*subject)',
].join('%00');

interface KeptRef extends KeptCommit {
  /** The tag object that the ref names, with the time. */
  tag: string;
}

/** Keeps commits, and with them all of their history. All or none. */
export async function keep(repository: string, of: RunName, commits: string[], now: number): Promise<void> {
  if (commits.length === 0) return;
  const known = (await refs(repository)).filter(({ ref }) => ref.startsWith(refsOf(of)));
  const numbers = known.map(({ ref }) => Number(ref.slice(refsOf(of).length)) || 0);
  let number = Math.max(0, ...numbers);
  const changes: string[] = [];
  for (const commit of commits) {
    number += 1;
    const tag = await made(repository, {
      ...{ object: commit, name: `${of.agent}-${of.run}-${number}`, now },
    });
    changes.push(`create ${refsOf(of)}${number} ${tag}`);
  }
  await change(repository, changes);
}

/** The latest first. */
export async function listKept(repository: string): Promise<KeptCommit[]> {
  const kept = await refs(repository);
  return kept.map(({ tag: _, ...commit }) => commit).sort((a, b) => b.keptAt - a.keptAt);
}

/** Makes a branch of it, which keeps it from now on. */
export async function restore(repository: string, { commit }: KeptCommit, branch: string): Promise<void> {
  const head = `refs/heads/${branch}`;
  if ((await git({}, ['check-ref-format', head])).code !== 0)
    throw new RelayError('InvalidRequest', `"${branch}" cannot be the name of a branch.`, {
      next: 'Choose another name: --branch NAME',
    });
  if ((await git({ gitDir: repository }, ['rev-parse', '--verify', '--quiet', head])).code === 0)
    throw new RelayError('NameTaken', `The branch ${branch} already exists.`, {
      next: 'Choose another name: --branch NAME',
    });
  const same = (await refs(repository)).filter((one) => one.commit === commit);
  await change(repository, [
    `create ${head} ${commit}`,
    ...same.map(({ ref, tag }) => `delete ${ref} ${tag}`),
  ]);
}

export async function dropKept(repository: string, dropped: readonly KeptCommit[]): Promise<void> {
  const names = new Set(dropped.map(({ ref }) => ref));
  await deleteRefs(
    repository,
    (await refs(repository)).filter(({ ref }) => names.has(ref)),
  );
}

/** Drops those whose time is over. */
export async function dropExpired(repository: string, now: number): Promise<void> {
  await deleteRefs(
    repository,
    (await refs(repository)).filter((one) => expiryOf(one) <= now),
  );
}

const deleteRefs = (repository: string, all: readonly KeptRef[]): Promise<void> =>
  change(
    repository,
    all.map(({ ref, tag }) => `delete ${ref} ${tag}`),
  );

async function refs(repository: string): Promise<KeptRef[]> {
  const { stdout } = succeeded(
    await git({ gitDir: repository }, ['for-each-ref', `--format=${FIELDS}`, ROOT]),
  );
  return stdout.split('\n').flatMap((line) => {
    const [ref = '', tag = '', type, seconds, commit = '', subject = ''] = line.split('\0');
    const [, agent, run] = /^refs\/relay\/([^/]+)\/([^/]+)\/\d+$/.exec(ref) ?? [];
    // Refs that others made there stay.
    if (type !== 'tag' || agent === undefined || run === undefined) return [];
    return [{ ref, tag, commit, subject, agent, run, keptAt: Number(seconds) * 1000 }];
  });
}

/** A tag object: it stores the time with the commit. */
async function made(
  repository: string,
  { object, name, now }: { object: string; name: string; now: number },
): Promise<string> {
  const input = [
    ...[`object ${object}`, 'type commit', `tag ${name}`],
    `tagger Agent Relay <relay@localhost> ${Math.floor(now / 1000)} +0000`,
    ...['', 'Kept when its worker was released', ''],
  ].join('\n');
  return succeeded(await git({ gitDir: repository }, ['mktag'], { input })).stdout;
}

async function change(repository: string, changes: string[]): Promise<void> {
  if (changes.length === 0) return;
  const input = `${changes.join('\n')}\n`;
  succeeded(await git({ gitDir: repository }, ['update-ref', '--stdin'], { input }));
}

function succeeded(result: GitResult): GitResult {
  if (result.code === 0) return result;
  throw new RelayError('ProgramFailed', `git failed: ${complaintOf(result)}`, {
    next: 'Fix what git says, then try again.',
  });
}
