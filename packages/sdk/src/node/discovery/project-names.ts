import { join } from 'node:path';
import { ensurePrivateDirectory, readIfThere, writeAtomically } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';
import { type Environment, projectsDirectory } from './locations.ts';

/*
 * The directory of a project has the project's first name; a rename does not move it. Which project
 * has another name now is in the database. The daemon publishes it in `names.json` for clients that look for the socket:
 * the file only repeats the database, and is rewritten whenever a daemon starts.
 */

/** A project whose name differs, or differed, from its directory. */
export interface ProjectNames {
  name: string;
  directory: string;
  /** Latest last, without names that other projects use now. */
  formerNames: string[];
}

const fileOf = (env: Environment): string => join(projectsDirectory(env), 'names.json');

/** For the daemon: publishes the names of its projects. */
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

/** The current name of the project that had this name; undefined if none had it, or the name is in use again. */
export async function renamedTo(
  project: string,
  env: Environment = process.env,
): Promise<string | undefined> {
  const projects = await publishedNames(env);
  return byName(projects, project) ? undefined : byFormerName(projects, project)?.name;
}

/** The directory name of a project, by its current or a former name. */
export async function directoryOf(project: string, env: Environment): Promise<string> {
  const projects = await publishedNames(env);
  return (byName(projects, project) ?? byFormerName(projects, project))?.directory ?? project;
}

/** The name of the project with this directory, if it was ever renamed. */
export async function projectIn(directory: string, env: Environment): Promise<string | undefined> {
  const projects = await publishedNames(env);
  return projects.find((project) => project.directory === directory)?.name;
}
