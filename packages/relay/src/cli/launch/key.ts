import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createOnce, ensurePrivateDirectory, readIfThere } from '@agent-relay/platform';
import type { Settings } from '../../daemon/settings/settings.ts';

/**
 * The key that sessions need, if any: the user's own, or a stored one on systems that do not tell which
 * user is behind a connection.
 */
export async function launchKey(
  { dataDirectory, mcp }: Settings,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  if (mcp.apiKey !== undefined) return mcp.apiKey;
  if (platform === 'linux') return undefined;
  const directory = join(dataDirectory, 'launch');
  const file = join(directory, 'key');
  const kept = await readIfThere(file);
  if (kept !== undefined) return kept;
  await ensurePrivateDirectory(dataDirectory);
  await ensurePrivateDirectory(directory);
  return createOnce(file, randomBytes(24).toString('base64url'));
}
