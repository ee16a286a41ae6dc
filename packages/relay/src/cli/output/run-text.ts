import type { AgentInfo } from '@agent-relay/protocol';
import { duration } from './terminal.ts';

/** The state of its program, unless the other columns show it. */
export function runText(
  { run, status }: Pick<AgentInfo, 'run' | 'status'>,
  reason: string | undefined,
): string | undefined {
  if (!run) return reason === 'busy' ? 'working' : undefined;
  const { state, startedAt, endedAt, exit, ended } = run;
  if (state === 'starting') return 'starting';
  // Its host is gone, or has not come back to a daemon that was restarted.
  if (endedAt === undefined && status === 'offline') return 'not connected';
  const since = duration(Date.now() - startedAt);
  if (endedAt === undefined) return reason === 'busy' ? `working, up ${since}` : `up ${since}`;
  const how = exit?.signal ?? (exit ? `code ${exit.code}` : ended);
  return `ended (${how}) after ${duration(endedAt - startedAt)}`;
}
