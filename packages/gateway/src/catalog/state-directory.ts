import { checkOwner } from '@agent-relay/platform';
import { isRelayError } from '@agent-relay/protocol';

/**
 * Why what lies in a directory is not believed; undefined if it is, or if there is no directory yet. Whoever can write
 * there could approve tools and say what servers offer. Only the gateway makes it, for its owner alone: so the user's own
 * group counts as others here.
 */
export async function reasonToDistrust(directory: string): Promise<string | undefined> {
  try {
    const { mode } = await checkOwner(directory);
    return (mode & 0o022) === 0 ? undefined : `others can write to ${directory}`;
  } catch (error) {
    if (isRelayError(error, 'NotAllowedToRunAs')) return `${directory} belongs to another user`;
    const { code = '' } = error as NodeJS.ErrnoException;
    // What else is wrong with it is told by those who use it.
    return code === 'EACCES' ? `${directory} cannot be entered` : undefined;
  }
}
