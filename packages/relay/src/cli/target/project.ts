import { lstat, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isMissing, isOwn } from '@agent-relay/platform';
import { nameKey } from '@agent-relay/protocol';
import {
  DEFAULT_PROJECT,
  type Environment,
  findProjectConfig,
  type ProjectConfig,
  prepareProjectConfig,
  projectAt,
  renamedTo,
  repositoryOf,
  startOfSearch,
  writeProjectConfig,
} from '@agent-relay/sdk/node';
import type { ProjectOption } from '../options.ts';
import { tellIgnored } from '../output/tell-ignored.ts';

/** The directory a daemon is started for. */
export interface ProjectLocation {
  root: string;
  /** The project's name, if already known. */
  project?: string;
  /** Home and `/` contain all projects: they get no `.relay`, and without a name they mean the default project. */
  recorded: boolean;
}

/** The location of a daemon command: where it was run, with the requested name. */
export async function findProjectLocation(
  options: ProjectOption,
  env: Environment = process.env,
): Promise<ProjectLocation> {
  const directory = await realpath(await startOfSearch(env, process.cwd()));
  const { project } = options;
  if (project === undefined) return await nearestLocation(directory, env);
  // A worktree with a project name gets its own project; the repository keeps its own.
  const worktree = await worktreeAround(directory);
  if (worktree !== undefined) return { root: worktree, project, recorded: true };
  return { ...(await nearestLocation(directory, env)), project };
}

/**
 * The nearest directory with `.relay/config.json`, else the nearest git root, else the directory itself. The root of a git
 * worktree is that of its repository.
 */
async function nearestLocation(start: string, env: Environment): Promise<ProjectLocation> {
  const home = resolve(env.HOME || homedir());
  const shared = new Set(['/', home, (await exists(home)) ? await realpath(home) : home]);
  const config = await findProjectConfig(start, tellIgnored);
  if (config !== undefined) {
    const project = await projectOf(config, env);
    return { root: config.root, ...(project ? { project } : {}), recorded: true };
  }
  if (shared.has(start)) return { root: start, recorded: false };
  const gitRoot = await nearestGitRoot(start);
  if (gitRoot === undefined || shared.has(gitRoot)) return { root: start, recorded: true };
  const repository = await repositoryOf(gitRoot);
  return { root: repository === undefined || shared.has(repository) ? gitRoot : repository, recorded: true };
}

/** The linked git worktree that contains a directory, if any. */
async function worktreeAround(start: string): Promise<string | undefined> {
  const gitRoot = await nearestGitRoot(start);
  return gitRoot !== undefined && (await repositoryOf(gitRoot)) !== undefined ? gitRoot : undefined;
}

/** The current name of a recorded project. */
async function projectOf({ project: noted, socketPath }: ProjectConfig, env: Environment) {
  const project = socketPath === undefined ? noted : await projectAt(socketPath, noted, env);
  return project && ((await renamedTo(project, env)) ?? project);
}

export interface OpenedProject {
  project: string;
  socketPath: string;
}

/**
 * Opens the project of a location with the daemon's `open`, and records it there. If it cannot be
 * recorded, it is not opened.
 */
export async function openProjectAt(
  location: ProjectLocation,
  open: (root: string, name?: string) => Promise<OpenedProject>,
): Promise<OpenedProject> {
  const wanted = location.project ?? (location.recorded ? undefined : DEFAULT_PROJECT);
  if (location.recorded) await prepareProjectConfig(location.root);
  const { project, socketPath } = await open(location.root, wanted);
  if (location.recorded) await writeProjectConfig({ root: location.root, project, socketPath });
  return { project, socketPath };
}

/**
 * Records the new name of a project where the old one is recorded: here, and in the directory it was created for.
 * Returns where it succeeded, and where it failed.
 */
export async function recordRename(
  before: string,
  { name, socketPath, root }: { name: string; socketPath: string; root?: string },
): Promise<{ recorded: string[]; unrecorded: string[] }> {
  const directories = [await realpath(process.cwd()), ...(root === undefined ? [] : [root])];
  const isOld = (project = '') => nameKey(project) === nameKey(before);
  const recorded = new Set<string>();
  const unrecorded = new Set<string>();
  for (const directory of directories) {
    let holder = directory;
    try {
      const config = await findProjectConfig(directory);
      if (config === undefined || !isOld(config.project)) continue;
      holder = config.root;
      await writeProjectConfig({ root: holder, project: name, socketPath });
      recorded.add(holder);
    } catch {
      // Whatever is wrong with the record, the project has its new name.
      unrecorded.add(holder);
    }
  }
  return { recorded: [...recorded], unrecorded: [...unrecorded] };
}

async function nearestGitRoot(start: string): Promise<string | undefined> {
  for (let directory = start; ; directory = dirname(directory)) {
    if (await isGitRoot(directory)) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}

/** In a shared directory such as /tmp, ignore a `.git` of another user. */
async function isGitRoot(directory: string): Promise<boolean> {
  const git = join(directory, '.git');
  if (!(await exists(git))) return false;
  const [holder, found] = await Promise.all([stat(directory), lstat(git)]);
  return (holder.mode & 0o002) === 0 || isOwn(found);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
