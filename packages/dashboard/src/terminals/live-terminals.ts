import type { AgentInfo } from '@agent-relay/sdk';
import { computed } from '@preact/signals';
import { agents } from '../model/project.ts';

/** Its program runs in a terminal of the relay now. */
export const hasTerminal = ({ run }: AgentInfo): boolean => run !== undefined && run.state !== 'exited';

/** The agents with a terminal to look at, by name. */
export const liveTerminals = computed(() =>
  [...agents.value.values()].filter(hasTerminal).sort((one, other) => one.name.localeCompare(other.name)),
);

/** Those the relay has started: `release all` ends these, as the command does. */
export const spawned = computed(() => liveTerminals.value.filter(({ run }) => run?.spawned));
