import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createOnce,
  ensurePrivateDirectory,
  isMissing,
  readIfThere,
  writeAtomically,
} from '@agent-relay/platform';
import { isTokenId, newAgentToken, tokenId } from '@agent-relay/platform/secrets';
import { checkAgentName, isAgentToken, nameKey, RelayError } from '@agent-relay/protocol';
import { checkDataDirectory, type Environment, projectDirectory } from './discovery/locations.ts';
import { directoryOf } from './discovery/project-names.ts';

/*
 * A token is stored in `<id>.token`, with an id derived from the token: the file never moves, whatever its agent's
 * name. `<name>.name` contains the id of the token to try first for a name. It is only a hint: if it is wrong or
 * missing, because the agent was renamed, the daemon refuses the token and sends the id of the right one, and the client
 * finds that file. So a rename changes nothing on disk, and no crash can lock an agent out.
 * Earlier versions stored the token in `<name>.token`; such a file is migrated on first use.
 */
const TOKEN = '.token';
const HINT = '.name';

/** How a client gets its stored token; `wanted` is the id of the token the daemon expects. */
export type TokenSource = (wanted?: string) => Promise<string | undefined>;

/** The stored token of a local agent, created if there is none; or the one the daemon expects, if it is stored. */
export const localTokenSource =
  (findProject: () => Promise<string>, name: string, env?: Environment): TokenSource =>
  async (wanted) => {
    const project = await findProject();
    return wanted === undefined
      ? localAgentToken(project, name, env)
      : localTokenById(project, name, wanted, env);
  };

/**
 * The token of a local agent, created and stored the first time. It is on disk before the daemon gets it, so that
 * no crash can leave a registered name without its token. Concurrent processes get the same token.
 */
export async function localAgentToken(
  project: string,
  name: string,
  env: Environment = process.env,
): Promise<string> {
  const tokens = await tokensOf(project, env);
  return (await hinted(tokens, name)) ?? (await takeOver(tokens, name)) ?? (await make(tokens, name));
}

/** The token with this id, if it is stored: the daemon says it belongs to the agent with this name. */
async function localTokenById(
  project: string,
  name: string,
  id: string,
  env: Environment = process.env,
): Promise<string | undefined> {
  const tokens = await tokensOf(project, env);
  const token = await search(tokens, id);
  if (token !== undefined) await hint(tokens, name, id);
  return token;
}

/**
 * Stores a new token for a local agent; returns the file. `register` makes it the agent's. The token is stored before that,
 * so that it is not lost when the answer is.
 */
export async function replaceLocalAgentToken(
  project: string,
  name: string,
  register: (token: string) => Promise<unknown>,
  env: Environment = process.env,
): Promise<string> {
  const tokens = await tokensOf(project, env);
  const token = newAgentToken();
  await keep(tokens, token);
  await register(token);
  await hint(tokens, name, tokenId(token));
  return fileOf(tokens, tokenId(token));
}

/** The agent was renamed: its token is tried first for the new name, and no longer for the old one. */
export async function renameLocalAgentToken(
  project: string,
  before: string,
  name: string,
  env: Environment = process.env,
): Promise<void> {
  const tokens = await tokensOf(project, env);
  const token = (await hinted(tokens, before)) ?? (await takeOver(tokens, before));
  // The agent's token is not stored here.
  if (token !== undefined) await hint(tokens, name, tokenId(token));
}

/** Deletes the token of a removed agent, so that its name can be used again. */
export async function removeLocalAgentToken(
  project: string,
  name: string,
  env: Environment = process.env,
): Promise<void> {
  const tokens = await tokensOf(project, env);
  const id = await readHint(hintOf(tokens, name));
  for (const file of [...(id ? [fileOf(tokens, id)] : []), hintOf(tokens, name), earlierFile(tokens, name)])
    await rm(file, { force: true });
}

/** Deletes all tokens of a removed project; `directory` is the name of its directory. */
export async function removeLocalAgentTokens(
  directory: string,
  env: Environment = process.env,
): Promise<void> {
  await rm(join(projectDirectory(directory, env), 'agents'), { recursive: true, force: true });
}

/** The directory with the tokens of a project. */
async function tokensOf(project: string, env: Environment): Promise<string> {
  await checkDataDirectory(env);
  return join(projectDirectory(await directoryOf(project, env), env), 'agents');
}

const fileOf = (tokens: string, id: string): string => join(tokens, `${id}${TOKEN}`);
const hintOf = (tokens: string, name: string): string =>
  join(tokens, `${nameKey(checkAgentName(name))}${HINT}`);
const earlierFile = (tokens: string, name: string): string =>
  join(tokens, `${nameKey(checkAgentName(name))}${TOKEN}`);

async function readHint(file: string): Promise<string | undefined> {
  const id = await readIfThere(file);
  return id !== undefined && isTokenId(id) ? id : undefined;
}

async function hinted(tokens: string, name: string): Promise<string | undefined> {
  const id = await readHint(hintOf(tokens, name));
  return id === undefined ? undefined : read(fileOf(tokens, id));
}

async function takeOver(tokens: string, name: string): Promise<string | undefined> {
  const earlier = earlierFile(tokens, name);
  const token = await read(earlier);
  if (token === undefined) return undefined;
  await keep(tokens, token);
  await createOnce(hintOf(tokens, name), tokenId(token));
  await rm(earlier, { force: true });
  return token;
}

async function make(tokens: string, name: string): Promise<string> {
  const token = newAgentToken();
  const id = tokenId(token);
  await keep(tokens, token);
  if ((await createOnce(hintOf(tokens, name), id)) === id) return token;
  const other = await hinted(tokens, name);
  if (other === undefined) {
    // The hint is stale.
    await writeAtomically(hintOf(tokens, name), id);
    return token;
  }
  await rm(fileOf(tokens, id), { force: true });
  return other;
}

async function keep(tokens: string, token: string): Promise<void> {
  await ensurePrivateDirectory(join(tokens, '..'));
  await ensurePrivateDirectory(tokens);
  await createOnce(fileOf(tokens, tokenId(token)), token);
}

/** Records that the token with this id belongs to the agent with this name, and to no other. */
async function hint(tokens: string, name: string, id: string): Promise<void> {
  const own = hintOf(tokens, name);
  await writeAtomically(own, id);
  for (const file of await filesIn(tokens, HINT))
    if (file !== own && (await readHint(file)) === id) await rm(file, { force: true });
}

/** Finds a token wherever it is stored, also where an earlier version stored it under another name. */
async function search(tokens: string, id: string): Promise<string | undefined> {
  for (const file of [fileOf(tokens, id), ...(await filesIn(tokens, TOKEN))]) {
    const token = await readIfThere(file);
    if (token === undefined || tokenId(token) !== id) continue;
    await keep(tokens, token);
    if (file !== fileOf(tokens, id)) await rm(file, { force: true });
    return token;
  }
  return undefined;
}

async function filesIn(directory: string, ending: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => name.endsWith(ending)).map((name) => join(directory, name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function read(file: string): Promise<string | undefined> {
  const token = await readIfThere(file);
  if (token === undefined || isAgentToken(token)) return token;
  throw new RelayError('InvalidSettings', `${file} does not hold an agent token.`, {
    next: 'Put the token back, or delete the file and connect under a new name.',
  });
}
