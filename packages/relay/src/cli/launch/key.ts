import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ensurePrivateDirectory, readIfThere, writePrivateFile } from '@agent-relay/sdk/node';
import type { Settings } from '../../daemon/settings/settings.ts';

/**
 * The key that sessions have to show, if any: the user's own, or one that is kept where the system does not tell which
 * user is behind a connection.
 */
export async function launchKey(
  { dataDirectory, mcp }: Settings,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  if (mcp.apiKey !== undefined) return mcp.apiKey;
  if (platform === 'linux') return undefined;
  const directory = join(dataDirectory, 'launch');
  const kept = await readIfThere(join(directory, 'key'));
  if (kept !== undefined) return kept;
  const key = randomBytes(24).toString('base64url');
  await ensurePrivateDirectory(dataDirectory);
  await ensurePrivateDirectory(directory);
  await writePrivateFile(join(directory, 'key'), key);
  return key;
}
