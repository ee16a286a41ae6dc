import { failureText } from '@agent-relay/protocol';
import { isRelayError } from '@agent-relay/sdk';
import { z } from 'zod';
import { reply } from '../../framework/result.ts';
import { defineTool, LOOKS } from '../../framework/tool.ts';
import { type ConnectionStatus, connectionStatus } from '../../participant/connection-status.ts';

export const relayStatus = defineTool({
  name: 'relay_status',
  description: 'Show the connection, your agent name, the project and the daemon.',
  input: z.strictObject({}),
  annotations: LOOKS,
  tellsName: true,
  handler: async (participant, _args, call) => {
    try {
      const status = await connectionStatus(participant);
      return reply(statusText(status), { ...status });
    } catch (error) {
      if (!isRelayError(error)) throw error;
      // No connection is a valid answer here, not an error.
      const status: ConnectionStatus = { connected: false };
      const explained = call.explained(error);
      return reply([statusText(status), failureText(explained)], {
        ...status,
        error: explained.toPayload(),
      });
    }
  },
});

const statusText = ({
  connected,
  agentName,
  project,
  notice,
  socketPath,
  daemonVersion,
  uptime,
}: ConnectionStatus) =>
  `Relay Status:
- Connected: ${connected ? 'Yes' : 'No'}
- Agent Name: ${agentName ?? 'Not registered'}
- Project: ${project ?? 'Unknown'}
- Socket: ${socketPath ?? 'Unknown'}
- Daemon Version: ${daemonVersion ?? 'Unknown'}
- Uptime: ${uptime ?? 'N/A'}${notice === undefined ? '' : `\n\nnote: ${notice}`}`;
