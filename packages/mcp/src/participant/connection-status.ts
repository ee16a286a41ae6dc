import { joinedProject, type ProjectFrom, strayNotice } from '@agent-relay/sdk/node';
import type { Participant } from './participant.ts';

/** The status of a session's own connection. */
export interface ConnectionStatus {
  connected: boolean;
  agentName?: string;
  project?: string;
  /** How the session came to the project. */
  projectFrom?: ProjectFrom;
  /** If nobody chose that project. */
  notice?: string;
  socketPath?: string;
  daemonVersion?: string;
  uptime?: string;
  unread?: number;
}

export async function connectionStatus(participant: Participant): Promise<ConnectionStatus> {
  const relay = await participant.relay();
  const { version, startedAt, project, socketPath, agent, unread, root } = await relay.status();
  const joined = joinedProject(relay);
  const notice = joined && strayNotice(joined, { project, root });
  return {
    connected: true,
    project,
    daemonVersion: version,
    uptime: durationText(Date.now() - startedAt),
    ...(joined === undefined ? {} : { projectFrom: joined.from }),
    ...(notice === undefined ? {} : { notice }),
    ...(socketPath === undefined ? {} : { socketPath }),
    ...(agent === undefined ? {} : { agentName: agent }),
    ...(unread === undefined ? {} : { unread }),
  };
}

/** Such as `2d 3h`, `5m 12s`: the two largest units. */
function durationText(ms: number): string {
  let seconds = Math.max(0, Math.floor(ms / 1000));
  const parts: string[] = [];
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0 || (unit === 's' && parts.length === 0)) parts.push(`${count}${unit}`);
  }
  return parts.slice(0, 2).join(' ');
}
