import { join } from 'node:path';
import { ensurePrivateDirectory } from '@agent-relay/platform';
import {
  checkDataDirectory,
  dataDirectory,
  type Environment,
  localTokenSource,
  type TokenSource,
} from '@agent-relay/sdk/node';

/**
 * How an agent in a workspace elsewhere gets its token. Each daemon has a directory, which holds tokens as the data directory
 * holds those of local agents: of several processes at once, all get the same token.
 */
export async function remoteTokenSource(agent: {
  url: string;
  project: string;
  name: string;
  env: Environment;
}): Promise<TokenSource> {
  const host = new URL(agent.url).host.replace(/[^\w.-]/g, '_');
  const directory = join(dataDirectory(agent.env), 'remote', host);
  await checkDataDirectory(agent.env);
  await ensurePrivateDirectory(directory);
  return localTokenSource(async () => agent.project, agent.name, { RELAY_DATA_DIR: directory });
}
