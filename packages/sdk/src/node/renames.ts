import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateDirectory, readIfThere, writeAtomically } from '@agent-relay/platform';
import { type Environment, projectDirectory } from './locations.ts';

/** A project that got another name leaves a note under the old one, for those who still ask for it. */
const noteOf = (project: string, env: Environment): string =>
  join(projectDirectory(project, env), 'renamed-to');

/** For the daemon: the project has another name from now on. */
export async function noteRename(
  before: string,
  project: string,
  env: Environment = process.env,
): Promise<void> {
  await ensurePrivateDirectory(projectDirectory(before, env));
  await writeAtomically(noteOf(before, env), project);
}

/** For the daemon: there is a project of this name, whatever was called so before. */
export const forgetRename = (project: string, env: Environment = process.env): Promise<void> =>
  rm(noteOf(project, env), { force: true });

/** What the project that had this name is called now; undefined if none was renamed, or the name is in use again. */
export async function renamedTo(
  project: string,
  env: Environment = process.env,
): Promise<string | undefined> {
  const next = await readIfThere(noteOf(project, env));
  return next && ((await renamedTo(next, env)) ?? next);
}
