import { copyFile, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing, isThere } from '@agent-relay/platform';
import { firstOf, safeLine } from '@agent-relay/protocol';
import { complaintOf, type GitResult, git, items } from '../../git/git.ts';
import { asked, flagsIn, noneIfMissing, type OpenWorktree } from './git-files.ts';

/** How the names of its directories start, beside the worktrees: no agent has such a name. */
const CHECK = '.check-';

/** What goes with a worktree, because the rules of the commit it was made from say that git ignores it. */
export interface Ignored {
  files: number;
  /** The files and directories in the tree, a directory with a slash at its end. */
  names: string[];
}

/** Settings that decide which bytes of a file count; they can hide no other change. */
const TEXT_SETTINGS = ['core.autocrlf', 'core.eol'];

/**
 * Compares the files of a worktree with its HEAD. It uses a git directory of its own, so that nothing in the worktree's can
 * hide a file: no index with flags and false times, no file-system monitor, no filter, no list of ignored files, no sparse
 * checkout. What git ignores is decided by the `.gitignore` files of the commit the worktree was made from, and by the
 * user's own `core.excludesFile`.
 */
export class Inspection {
  readonly #worktree: OpenWorktree;
  readonly #directory: string;

  private constructor(worktree: OpenWorktree, directory: string) {
    this.#worktree = worktree;
    this.#directory = directory;
  }

  /** `base`: the commit that the worktree was made from; default: its HEAD. */
  static async open(worktree: OpenWorktree, base: string | undefined): Promise<Inspection> {
    // On the same file system, so that git finds out the same about case and modes.
    const directory = await mkdtemp(join(dirname(worktree.path), CHECK));
    const opened = new Inspection(worktree, directory);
    try {
      await opened.#prepare(base);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return rm(this.#directory, { recursive: true, force: true });
  }

  /** Why there is uncommitted work; undefined if there is none. */
  async changes(): Promise<string | undefined> {
    const staged = await asked(this.#worktree, [
      ...['diff-index', '--cached', '--quiet', '--ignore-submodules=none', 'HEAD', '--'],
    ]);
    if (staged.code > 1) throw new GitFailure(staged);
    if (staged.code === 1) return 'it has uncommitted changes';
    return (await this.#edits()) ?? (await this.#repositories()) ?? (await this.#untracked());
  }

  async ignored(): Promise<Ignored> {
    const names = await this.#others('--ignored');
    const counts = await Promise.all(names.map((name) => this.#count(name)));
    return { files: counts.reduce((sum, count) => sum + count, 0), names: names.map(readable) };
  }

  async #prepare(base: string | undefined): Promise<void> {
    const { common, admin } = this.#worktree;
    const { stdout: format } = await this.#succeeds(
      git({ gitDir: admin }, ['rev-parse', '--show-object-format']),
    );
    const init = ['init', '--quiet', '--template=', `--object-format=${format}`, this.#directory];
    await this.#succeeds(git({}, init));
    await mkdir(join(this.#gitDir, 'objects/info'), { recursive: true });
    await writeFile(join(this.#gitDir, 'objects/info/alternates'), `${join(common, 'objects')}\n`);
    for (const name of TEXT_SETTINGS) {
      const { code, stdout } = await git({ gitDir: admin }, ['config', '--get', name]);
      if (code === 0) await this.#ask(['config', name, stdout]);
    }
    const head = await this.#succeeds(
      git({ gitDir: admin }, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
      'its HEAD has no commit',
    );
    await this.#ask(['update-ref', '--no-deref', 'HEAD', head.stdout]);
    await this.#ask(['read-tree', 'HEAD']);
    await this.#prepareRules(base ?? head.stdout);
  }

  /**
   * A second index, with the `.gitignore` files of the base under a name that no file in the worktree has. Git reads such
   * files from the index if they are marked as left out of the working tree.
   */
  async #prepareRules(base: string): Promise<void> {
    await this.#ask(['read-tree', base], this.#baseIndex);
    const list = ['ls-files', '--stage', '-z', '--', ':(glob)**/.gitignore'];
    const { stdout } = await this.#ask(list, this.#baseIndex);
    const entries = items(stdout)
      .filter((entry) => entry.startsWith('100'))
      .map((entry) => entry.replace(/\.gitignore$/, this.#rules));
    await copyFile(join(this.#gitDir, 'index'), this.#rulesIndex);
    const paths = entries.map((entry) => entry.slice(entry.indexOf('\t') + 1));
    await this.#ask(['update-index', '-z', '--index-info'], this.#rulesIndex, ended(entries));
    await this.#ask(['update-index', '-z', '--skip-worktree', '--stdin'], this.#rulesIndex, ended(paths));
  }

  /** Whether files differ from their commit. A file that a sparse checkout left out does not. */
  async #edits(): Promise<string | undefined> {
    const { stdout } = await this.#ask([
      ...['status', '--porcelain', '-z', '--untracked-files=no', '--ignore-submodules=none', '--no-renames'],
    ]);
    if (stdout === '') return undefined;
    const flags = await flagsIn(this.#worktree);
    const isLeftOut = (line: string) =>
      line.startsWith(' D ') && flags.get(line.slice(3))?.toUpperCase() === 'S';
    const edited = items(stdout).flatMap((line) => (isLeftOut(line) ? [] : [line.slice(3)]));
    if (edited.length === 0) return undefined;
    const hidden = edited.filter((name) => flags.has(name));
    if (hidden.length > 0)
      return `it has changes that git status does not show: ${firstOf(hidden.map(readable))}`;
    return await this.#edited();
  }

  /** With what may make git itself say otherwise. */
  async #edited(): Promise<string> {
    const why = 'it has uncommitted changes';
    const isSet = async (pattern: string) =>
      (await asked(this.#worktree, ['config', '--local', '--get-regexp', pattern])).code === 0;
    if (await isSet('^core\\.fsmonitor$'))
      return `${why}; git status may miss some, because core.fsmonitor is set`;
    // Its command was not run.
    if (await isSet('^filter\\..*\\.(clean|process)$'))
      return `${why}, or files of a filter that only the repository configures`;
    return why;
  }

  /** A repository inside of the worktree may have commits of its own. */
  async #repositories(): Promise<string | undefined> {
    const { path, admin } = this.#worktree;
    const modules = 'it has submodules, and their commits may be nowhere else';
    if (await isThere(join(admin, 'modules'))) return modules;
    const { stdout } = await this.#ask(['ls-tree', '-r', '-d', '-z', 'HEAD']);
    for (const entry of items(stdout)) {
      if (entry.startsWith('160000')) return modules;
      const name = entry.slice(entry.indexOf('\t') + 1);
      const inside = Buffer.from(`${Buffer.from(path).toString('latin1')}/${name}/.git`, 'latin1');
      if (await exists(inside)) return `it has a repository in ${readable(name)}`;
    }
    return undefined;
  }

  async #untracked(): Promise<string | undefined> {
    const names = await this.#others();
    if (names.length === 0) return undefined;
    const shown = await asked(this.#worktree, [...OTHERS, '--exclude-standard'], { bytes: true });
    if (shown.code !== 0) throw new GitFailure(shown);
    if (shown.stdout !== '') return 'it has untracked files';
    return `only its own rules ignore ${firstOf(names.map(readable))}`;
  }

  /** What git does not track and does not ignore, or what it ignores. */
  async #others(...options: string[]): Promise<string[]> {
    const args = [...OTHERS, ...options, '--exclude-standard', `--exclude-per-directory=${this.#rules}`];
    const found = await this.#ask(args, this.#rulesIndex);
    // It would count as empty.
    if (found.stderr.includes('could not open directory')) throw new GitFailure({ ...found, stdout: '' });
    return items(found.stdout);
  }

  async #count(name: string): Promise<number> {
    if (!name.endsWith('/')) return 1;
    const path = join(this.#worktree.path, decoded(name));
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(noneIfMissing);
    return entries.filter((entry) => !entry.isDirectory()).length;
  }

  #ask(args: readonly string[], index?: string, input?: string): Promise<GitResult> {
    const place = {
      gitDir: this.#gitDir,
      workTree: this.#worktree.path,
      ...(index === undefined ? {} : { index }),
    };
    return this.#succeeds(git(place, args, { bytes: true, ...(input === undefined ? {} : { input }) }));
  }

  async #succeeds(result: Promise<GitResult>, otherwise?: string): Promise<GitResult> {
    const found = await result;
    if (found.code !== 0) throw new GitFailure(found, otherwise);
    return found;
  }

  get #gitDir(): string {
    return join(this.#directory, '.git');
  }

  get #rules(): string {
    return `.gitignore-${this.#directory.slice(-6)}`;
  }

  get #rulesIndex(): string {
    return join(this.#gitDir, 'index-with-rules');
  }

  get #baseIndex(): string {
    return join(this.#gitDir, 'index-of-base');
  }
}

/** A worktree that git cannot tell about is kept. */
export class GitFailure extends Error {
  constructor(result: GitResult, message = `git says: ${complaintOf(result)}`) {
    super(message);
  }
}

const OTHERS = ['ls-files', '--others', '-z', '--directory', '--no-empty-directory'];
const ended = (list: readonly string[]): string => list.map((item) => `${item}\0`).join('');
const decoded = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
/** File names are the worker's choice. */
const readable = (bytes: string): string => safeLine(decoded(bytes));

async function exists(path: Buffer): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Removes what inspections left beside worktrees because the daemon was killed. */
export async function removeAbandoned(area: string, before: number): Promise<void> {
  for (const name of await readdir(area).catch(noneIfMissing)) {
    const path = join(area, name);
    if (name.startsWith(CHECK) && (await lstat(path)).mtimeMs < before)
      await rm(path, { recursive: true, force: true });
  }
}
