import { join } from 'node:path';
import { ensurePrivateDirectory, readIfThere, writeAtomically } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';
import { type Environment, projectsDirectory } from './locations.ts';

/*
 * The directory of a project is called as the project was when it was created; a rename does not move it. Which project
 * has another name now is in the database. The daemon publishes it in `names.json`, for clients that look for the socket:
 * the file only repeats the database, and is written anew whenever a daemon starts.
 */

/** A project that is not called as its directory, or was called otherwise before. */
export interface ProjectNames {
  name: string;
  directory: string;
  /** The latest last; without those that other projects have now. */
  formerNames: string[];
}

const fileOf = (env: Environment): string => join(projectsDirectory(env), 'names.json');

/** For the daemon: what its projects are called from now on. */
export async function publishProjectNames(
  projects: ProjectNames[],
  env: Environment = process.env,
): Promise<void> {
  await ensurePrivateDirectory(projectsDirectory(env));
  await writeAtomically(fileOf(env), `${JSON.stringify(projects, undefined, 2)}\n`);
}

async function publishedNames(env: Environment): Promise<ProjectNames[]> {
  const text = await readIfThere(fileOf(env));
  if (text === undefined) return [];
  try {
    return JSON.parse(text) as ProjectNames[];
  } catch (cause) {
    throw new RelayError('InvalidSettings', `${fileOf(env)} is not JSON.`, {
      next: 'Delete it and run: agent-relay daemon restart; the daemon recreates it.',
      cause,
    });
  }
}

const byName = (projects: ProjectNames[], project: string): ProjectNames | undefined =>
  projects.find(({ name }) => name === project);
const byFormerName = (projects: ProjectNames[], project: string): ProjectNames | undefined =>
  projects.findLast(({ formerNames }) => formerNames.includes(project));

/** What the project that had this name is called now; undefined if none was renamed, or the name is in use again. */
export async function renamedTo(
  project: string,
  env: Environment = process.env,
): Promise<string | undefined> {
  const projects = await publishedNames(env);
  return byName(projects, project) ? undefined : byFormerName(projects, project)?.name;
}

/** The name of the directory of a project, also for a name that it had before. */
export async function directoryOf(project: string, env: Environment): Promise<string> {
  const projects = await publishedNames(env);
  return (byName(projects, project) ?? byFormerName(projects, project))?.directory ?? project;
}

/** What the project with this directory is called, if it has, or had, another name than the directory. */
export async function projectIn(directory: string, env: Environment): Promise<string | undefined> {
  const projects = await publishedNames(env);
  return projects.find((project) => project.directory === directory)?.name;
}
