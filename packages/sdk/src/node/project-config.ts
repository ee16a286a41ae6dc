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

/** What `.relay/config.json` says about the directory that holds it. */
export interface ProjectConfig {
  /** The directory that holds `.relay`. */
  root: string;
  project?: string;
  /** Only for a daemon that does not listen at the project's usual place. */
  socketPath?: string;
}

const directoryIn = (root: string) => join(root, '.relay');
const fileIn = (root: string) => join(directoryIn(root), 'config.json');

/** Is told of a `.relay` that is passed over, and why. */
export type OnIgnored = (path: string, why: string) => void;

/**
 * The nearest `.relay/config.json`, in `directory` or above it; undefined if there is none. From a git worktree the search
 * goes on in its repository. A record that others own or can write to is passed over: above a directory of ours there may
 * be one for everybody, such as /tmp.
 */
export async function findProjectConfig(
  directory: string,
  onIgnored: OnIgnored = () => undefined,
): Promise<ProjectConfig | undefined> {
  let isInWorktree = false;
  for (let root = resolve(directory); ; ) {
    const text = (await isTrusted(root, onIgnored)) ? await readIfThere(fileIn(root)) : undefined;
    if (text !== undefined) return parse(text, root);
    // Once: a repository is nobody's worktree.
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
      // Where this user cannot even look, there is no record of theirs.
      else if (!isMissing(error) && (error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    }
    return false;
  }
  return true;
}

/** Records which project the directory belongs to, for every tool that runs in it; git does not see it. */
export async function writeProjectConfig({ root, ...config }: ProjectConfig): Promise<void> {
  await prepareProjectConfig(root);
  await writeAtomically(fileIn(root), `${JSON.stringify(config, undefined, 2)}\n`);
}

/** Makes the place of the record, or says that it cannot be made: better known before the project is opened. */
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

/** Not recursive: Node would try for ever in a directory that takes no others, such as /proc. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** `.relay` may come with somebody else's repository: it may not lead what is written there to another place. */
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
