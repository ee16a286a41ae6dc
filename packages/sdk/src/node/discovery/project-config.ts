import { chmod, lstat, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  checkOwner,
  isMissing,
  isWritableByOthers,
  readIfThere,
  writeAtomically,
} from '@agent-relay/platform';
import { checkName, isRelayError, RelayError } from '@agent-relay/protocol';
import { repositoryOf } from './git-worktree.ts';

/** The content of a `.relay/config.json`. */
export interface ProjectConfig {
  /** The directory that holds `.relay`. */
  root: string;
  project?: string;
  /** Only for a daemon that does not listen at the default path. */
  socketPath?: string;
}

const directoryIn = (root: string) => join(root, '.relay');
const fileIn = (root: string) => join(directoryIn(root), 'config.json');

/** Called for a `.relay` that is ignored, with the reason. */
export type OnIgnored = (path: string, why: string) => void;

/**
 * The nearest `.relay/config.json`, in `directory` or above it; undefined if there is none. From a git worktree the search
 * continues in its repository. A file that others own or can write to is ignored: a parent directory may
 * be shared, such as /tmp.
 */
export async function findProjectConfig(
  directory: string,
  onIgnored: OnIgnored = () => undefined,
): Promise<ProjectConfig | undefined> {
  let isInWorktree = false;
  for (let root = resolve(directory); ; ) {
    const text = (await isTrusted(root, onIgnored)) ? await readIfThere(fileIn(root)) : undefined;
    if (text !== undefined) return parse(text, root);
    // Once: a repository is not a worktree.
    const repository: string | undefined = isInWorktree ? undefined : await repositoryOf(root);
    isInWorktree ||= repository !== undefined;
    if (repository === undefined && root === dirname(root)) return undefined;
    root = repository ?? dirname(root);
  }
}

async function isTrusted(root: string, onIgnored: OnIgnored): Promise<boolean> {
  for (const path of [directoryIn(root), fileIn(root)]) {
    try {
      if (!isWritableByOthers(await checkOwner(path))) continue;
      onIgnored(path, 'others can write to it');
    } catch (error) {
      if (isRelayError(error, 'NotAllowedToRunAs')) onIgnored(path, 'it belongs to another user');
      // An unreadable directory has no record of this user.
      else if (!isMissing(error) && (error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    }
    return false;
  }
  return true;
}

/** Records the project of the directory, for every tool that runs in it; git ignores it. */
export async function writeProjectConfig({ root, ...config }: ProjectConfig): Promise<void> {
  await prepareProjectConfig(root);
  await writeAtomically(fileIn(root), `${JSON.stringify(config, undefined, 2)}\n`);
}

/** Creates the directory of the record, so that a failure is reported before the project is opened. */
export async function prepareProjectConfig(root: string): Promise<void> {
  const directory = directoryIn(root);
  try {
    await makeDirectory(directory);
    await checkOwnDirectory(directory);
    await writeAtomically(join(directory, '.gitignore'), '*\n');
  } catch (cause) {
    if (isRelayError(cause)) throw cause;
    const why = (cause as NodeJS.ErrnoException).code;
    throw new RelayError('InvalidSettings', `The project cannot be recorded in ${directory} (${why}).`, {
      next: 'Run it in a directory that you can write to, or name one in RELAY_PROJECT_ROOT.',
      cause,
    });
  }
}

/** Not recursive: Node would retry forever in a directory that cannot contain others, such as /proc. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** `.relay` may come with a cloned repository: it must not redirect what is written there. */
async function checkOwnDirectory(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) {
    throw new RelayError(
      'InvalidSettings',
      `${path} is not a directory, but a file or a link to another place.`,
      {
        next: 'Check where it comes from, delete it and run the command again.',
      },
    );
  }
  const { mode } = await checkOwner(path);
  if ((mode & 0o077) !== 0) await chmod(path, 0o700);
}

function parse(text: string, root: string): ProjectConfig {
  const wrong = (why: string, cause?: unknown) =>
    new RelayError('InvalidSettings', `${fileIn(root)} ${why}.`, {
      next: 'Correct the file, or delete it and run agent-relay up in its directory.',
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw wrong('is not JSON', cause);
  }
  if (typeof value !== 'object' || value === null) throw wrong('is not an object');
  const { project, socketPath } = value as { project?: unknown; socketPath?: unknown };
  if (project !== undefined && typeof project !== 'string')
    throw wrong('has a "project" that is not a string');
  if (socketPath !== undefined && typeof socketPath !== 'string') {
    throw wrong('has a "socketPath" that is not a string');
  }
  if (project === undefined && socketPath === undefined) throw wrong('has no "project"');
  return {
    root,
    ...(project === undefined ? {} : { project: checkName(project, 'project') }),
    ...(socketPath === undefined ? {} : { socketPath: resolve(root, socketPath) }),
  };
}
