import { rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  createOnce,
  ensurePrivateDirectory,
  isMissing,
  isThere,
  readIfThere,
  writeAtomically,
} from '@agent-relay/platform';
import { newAgentToken } from '@agent-relay/platform/secrets';
import { checkAgentName, isAgentToken, nameKey, RelayError } from '@agent-relay/protocol';
import { checkDataDirectory, type Environment, projectDirectory } from './locations.ts';

/**
 * The token of a local agent, made and stored the first time. It is on the disk before the daemon hears of it, so that
 * no crash can leave a registered name whose token nobody has. Of several processes at once, all get the same token.
 */
export async function localAgentToken(
  project: string,
  name: string,
  env: Environment = process.env,
): Promise<string> {
  const file = tokenFile(project, name, env);
  await checkDataDirectory(env);
  const kept = await readIfThere(file);
  if (kept !== undefined) return checkToken(kept, file);
  await ensureTokenDirectory(file);
  return checkToken(await createOnce(file, newAgentToken()), file);
}

/** Keeps the new token of a local agent in place of the old one; returns the file. */
export async function storeLocalAgentToken(
  project: string,
  name: string,
  token: string,
  env: Environment = process.env,
): Promise<string> {
  const file = tokenFile(project, name, env);
  await checkDataDirectory(env);
  await ensureTokenDirectory(file);
  await writeAtomically(file, token);
  return file;
}

/** The token of a local agent goes with it to its new name. An agent whose token is not kept here has none to move. */
export async function renameLocalAgentToken(
  project: string,
  before: string,
  name: string,
  env: Environment = process.env,
): Promise<void> {
  const file = tokenFile(project, before, env);
  const token = await readIfThere(file);
  if (token === undefined) return;
  await storeLocalAgentToken(project, name, checkToken(token, file), env);
  if (nameKey(before) !== nameKey(name)) await removeLocalAgentToken(project, before, env);
}

/** Forgets the token of an agent that is no more, so that its name can be used anew. */
export async function removeLocalAgentToken(
  project: string,
  name: string,
  env: Environment = process.env,
): Promise<void> {
  await rm(tokenFile(project, name, env), { force: true });
}

/** All tokens of a project go with it to its new name. */
export async function moveLocalAgentTokens(
  before: string,
  project: string,
  env: Environment = process.env,
): Promise<void> {
  const [from, to] = [projectDirectory(before, env), projectDirectory(project, env)];
  await ensurePrivateDirectory(to);
  // Two spellings of a name, where the file system does not tell them apart.
  if (await isSame(from, to)) return;
  // The name was free: what lies there belongs to nobody any more.
  await removeLocalAgentTokens(project, env);
  try {
    await rename(tokenDirectory(before, env), tokenDirectory(project, env));
  } catch (error) {
    // A project without local agents has nothing to move.
    if (!isMissing(error)) throw error;
  }
}

/** Forgets all tokens of a project that is no more. */
export async function removeLocalAgentTokens(project: string, env: Environment = process.env): Promise<void> {
  await rm(tokenDirectory(project, env), { recursive: true, force: true });
}

async function isSame(one: string, other: string): Promise<boolean> {
  if (!(await isThere(one))) return false;
  const [first, second] = await Promise.all([stat(one), stat(other)]);
  return first.dev === second.dev && first.ino === second.ino;
}

const tokenDirectory = (project: string, env: Environment): string =>
  join(projectDirectory(project, env), 'agents');

const tokenFile = (project: string, name: string, env: Environment): string =>
  join(tokenDirectory(project, env), `${nameKey(checkAgentName(name))}.token`);

async function ensureTokenDirectory(file: string): Promise<void> {
  const agents = dirname(file);
  await ensurePrivateDirectory(dirname(agents));
  await ensurePrivateDirectory(agents);
}

function checkToken(token: string, file: string): string {
  if (isAgentToken(token)) return token;
  throw new RelayError('InvalidSettings', `${file} does not hold an agent token.`, {
    next: 'Put the token back, or delete the file and connect under a new name.',
  });
}
