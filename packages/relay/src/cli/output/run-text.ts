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
  // Its host has not reconnected yet, or runs on another machine and may be gone.
  if (endedAt === undefined && status === 'offline') return 'not connected';
  const since = duration(Date.now() - startedAt);
  if (endedAt === undefined) return reason === 'busy' ? `working, up ${since}` : `up ${since}`;
  // When it was killed is not known.
  if (!exit) return `ended (${ended})`;
  return `ended (${exit.signal ?? `code ${exit.code}`}) after ${duration(endedAt - startedAt)}`;
}
