import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { nameKey } from '@agent-relay/protocol';
import {
  checkDataDirectory,
  dataDirectory,
  type Environment,
  ensurePrivateDirectory,
  projectDirectory,
  readIfThere,
  storeLocalAgentToken,
} from '@agent-relay/sdk/node';

/**
 * The token of an agent in a workspace elsewhere, made and stored the first time. It is on the disk before the daemon
 * hears of it: no crash can leave a registered name whose token nobody has.
 */
export async function remoteAgentToken(agent: {
  url: string;
  project: string;
  name: string;
  env: Environment;
}): Promise<string> {
  const host = new URL(agent.url).host.replace(/[^\w.-]/g, '_');
  const directory = join(dataDirectory(agent.env), 'remote', host);
  const env = { RELAY_DATA_DIR: directory };
  const file = join(projectDirectory(agent.project, env), 'agents', `${nameKey(agent.name)}.token`);
  await checkDataDirectory(agent.env);
  const kept = await readIfThere(file);
  if (kept !== undefined) return kept;
  const token = `at_${randomBytes(32).toString('base64url')}`;
  await ensurePrivateDirectory(directory);
  await storeLocalAgentToken(agent.project, agent.name, token, env);
  return token;
}
