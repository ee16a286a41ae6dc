import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ensurePrivateDirectory, readIfThere, writeAtomically } from '@agent-relay/platform';
import { isAlive, processMark } from '@agent-relay/platform/processes';
import { dataDirectory, type Environment } from './discovery/locations.ts';

const SUFFIX = '.tools';
/** Looked for, not watched: it is there a second or two after the start, and some file systems report no changes. */
const LOOK_MS = 100;

/** Directory of the notes that an MCP server leaves for the hooks of its client. Both know the process that started them. */
const directoryOf = (env: Environment) => join(dataDirectory(env), 'hooks');
const noteOf = (client: number, env: Environment) => join(directoryOf(env), `${client}${SUFFIX}`);

/** Notes that this client process has the relay's tools, and removes the notes of those that have ended. */
export async function noteListedTools(client: number, env: Environment): Promise<void> {
  await ensurePrivateDirectory(dataDirectory(env));
  await ensurePrivateDirectory(directoryOf(env));
  await writeAtomically(noteOf(client, env), processMark(client) ?? '');
  for (const name of await readdir(directoryOf(env))) {
    const pid = name.endsWith(SUFFIX) ? Number.parseInt(name, 10) : client;
    if (pid !== client && !(await hasListedTools(pid, env))) await rm(noteOf(pid, env), { force: true });
  }
}

/** Resolves once this client process has the relay's tools, or with the signal. */
export async function untilToolsListed(client: number, env: Environment, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await hasListedTools(client, env)))
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => undefined);
}

/** The note may be that of an earlier process with the same id. */
async function hasListedTools(client: number, env: Environment): Promise<boolean> {
  const mark = await readIfThere(noteOf(client, env));
  return mark !== undefined && isAlive({ pid: client, mark });
}
