import { stat } from 'node:fs/promises';
import { isMissing } from '@agent-relay/platform';
import { RelayError } from '@agent-relay/protocol';

/** The standalone gateway may start without its file. A daemon that was given files must have them. */
export async function requireFiles(files: readonly string[]): Promise<void> {
  for (const file of files) {
    try {
      await stat(file);
    } catch (cause) {
      if (!isMissing(cause)) throw cause;
      throw new RelayError('InvalidSettings', `No such file: ${file} (MCP servers).`, {
        next: 'Correct --mcp-servers, RELAY_MCP_SERVERS_CONFIG or mcp.servers in settings.json.',
        cause,
      });
    }
  }
}
