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
import { checkDataDirectory, type Environment, projectDirectory } from './locations.ts';
import { directoryOf } from './project-names.ts';

/*
 * A token is kept in `<id>.token`, by an id that follows from the token itself: the file never moves, whatever its agent
 * is called. `<name>.name` holds the id of the token to try first for a name. It is only a hint: where it is wrong or
 * missing, because the agent was renamed, the daemon refuses the token and says the id of the right one, and the client
 * finds that file. So a rename changes nothing on the disk, and no crash can lock an agent out.
 * Earlier versions kept the token in `<name>.token`; such a file is taken over when it is first used.
 */
const TOKEN = '.token';
const HINT = '.name';

/** How a client that keeps its token gets it; `wanted` is the id of the token that the daemon asks for. */
export type TokenSource = (wanted?: string) => Promise<string | undefined>;

/** The kept token of a local agent, made if there is none; if the daemon wants another one, that, if it is kept. */
export const localTokenSource =
  (findProject: () => Promise<string>, name: string, env?: Environment): TokenSource =>
  async (wanted) => {
    const project = await findProject();
    return wanted === undefined
      ? localAgentToken(project, name, env)
      : localTokenById(project, name, wanted, env);
  };

/**
 * The token of a local agent, made and stored the first time. It is on the disk before the daemon hears of it, so that
 * no crash can leave a registered name whose token nobody has. Of several processes at once, all get the same token.
 */
export async function localAgentToken(
  project: string,
  name: string,
  env: Environment = process.env,
): Promise<string> {
  const tokens = await tokensOf(project, env);
  return (await hinted(tokens, name)) ?? (await takeOver(tokens, name)) ?? (await make(tokens, name));
}

/** The token of that id, if it is kept: the daemon says that it is the one of the agent of this name. */
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
 * Keeps a new token for a local agent; returns the file. `register` makes it the agent's. The token is kept before that,
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

/** The agent has another name: its token is tried first for that one, and no longer for the old one. */
export async function renameLocalAgentToken(
  project: string,
  before: string,
  name: string,
  env: Environment = process.env,
): Promise<void> {
  const tokens = await tokensOf(project, env);
  const token = (await hinted(tokens, before)) ?? (await takeOver(tokens, before));
  // An agent whose token is not kept here has none to be found.
  if (token !== undefined) await hint(tokens, name, tokenId(token));
}

/** Forgets the token of an agent that is no more, so that its name can be used anew. */
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

/** Forgets all tokens of a project that is no more; `directory` is the name of its directory. */
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
    // A hint that leads nowhere.
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

/** The token of this id is that of the agent of this name, and of no other. */
async function hint(tokens: string, name: string, id: string): Promise<void> {
  const own = hintOf(tokens, name);
  await writeAtomically(own, id);
  for (const file of await filesIn(tokens, HINT))
    if (file !== own && (await readHint(file)) === id) await rm(file, { force: true });
}

/** Finds a token wherever it is kept, also under the name of another agent by an earlier version. */
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
