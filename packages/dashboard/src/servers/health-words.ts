import type { ServerInfo } from '@agent-relay/sdk';

/** The state of a server, as people say it. */
export const HEALTH_WORDS: Record<ServerInfo['health'], string> = {
  healthy: 'Healthy',
  degraded: 'Degraded',
  failed: 'Not connected',
  connecting: 'Connecting',
  unknown: 'Not started',
};
