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
 * How an agent in a remote workspace gets its token. Each daemon has a directory, with tokens stored like those of
 * local agents: concurrent processes get the same token.
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
