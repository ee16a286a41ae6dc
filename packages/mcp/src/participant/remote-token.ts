import { join } from 'node:path';
import { ensurePrivateDirectory } from '@agent-relay/platform';
import { checkDataDirectory, dataDirectory, type Environment, localAgentToken } from '@agent-relay/sdk/node';

/**
 * The token of an agent in a workspace elsewhere. Each daemon has a directory, which holds tokens as the data directory
 * holds those of local agents: of several processes at once, all get the same token.
 */
export async function remoteAgentToken(agent: {
  url: string;
  project: string;
  name: string;
  env: Environment;
}): Promise<string> {
  const host = new URL(agent.url).host.replace(/[^\w.-]/g, '_');
  const directory = join(dataDirectory(agent.env), 'remote', host);
  await checkDataDirectory(agent.env);
  await ensurePrivateDirectory(directory);
  return localAgentToken(agent.project, agent.name, { RELAY_DATA_DIR: directory });
}
