import type { AgentInfo } from '@agent-relay/sdk';
import { waitingOf } from './waiting/waiting-list.ts';

/** The state of an agent or a person in one word, the same everywhere on the page. */
export type AgentState = 'needs-you' | AgentInfo['status'];

export const STATE_WORDS: Record<AgentState, string> = {
  'needs-you': 'Needs you',
  active: 'Working',
  idle: 'Idle',
  offline: 'Offline',
};

/** Who is not there does nothing, even if a question of theirs is open. */
export const stateOf = ({ name, status }: Pick<AgentInfo, 'name' | 'status'>): AgentState =>
  status !== 'offline' && waitingOf.value.has(name) ? 'needs-you' : status;
