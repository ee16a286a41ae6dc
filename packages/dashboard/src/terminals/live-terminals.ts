import type { AgentInfo } from '@agent-relay/sdk';
import { computed } from '@preact/signals';
import { agents } from '../model/project.ts';

/** Its program is running in a terminal of the relay. */
export const hasTerminal = ({ run }: AgentInfo): boolean => run !== undefined && run.state !== 'exited';

/** The agents with a live terminal, by name. */
export const liveTerminals = computed(() =>
  [...agents.value.values()].filter(hasTerminal).sort((one, other) => one.name.localeCompare(other.name)),
);

/** Agents started by the relay: *release all* ends these, like the command. */
export const spawned = computed(() => liveTerminals.value.filter(({ run }) => run?.spawned));
