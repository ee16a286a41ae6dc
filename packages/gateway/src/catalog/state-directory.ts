import { checkOwner } from '@agent-relay/platform';
import { isRelayError } from '@agent-relay/protocol';

/**
 * Why a state directory cannot be trusted; undefined if it can, or does not exist yet. Anyone who can write there could
 * approve tools and change what servers offer. The gateway creates it for its owner alone, so even write access of the
 * user's own group is not accepted.
 */
export async function reasonToDistrust(directory: string): Promise<string | undefined> {
  try {
    const { mode } = await checkOwner(directory);
    return (mode & 0o022) === 0 ? undefined : `others can write to ${directory}`;
  } catch (error) {
    if (isRelayError(error, 'NotAllowedToRunAs')) return `${directory} belongs to another user`;
    const { code = '' } = error as NodeJS.ErrnoException;
    // Other problems are reported where the directory is used.
    return code === 'EACCES' ? `${directory} cannot be opened` : undefined;
  }
}
