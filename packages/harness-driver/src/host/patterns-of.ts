import type { CliAdapter } from '../clis/adapter.ts';
import type { PatternOptions } from './agent-host.ts';

/** How commands are found in the text of this CLI, and what the agents that it starts inherit. */
export function patternsOf({ screen, conversation }: CliAdapter, env: NodeJS.ProcessEnv): PatternOptions {
  return {
    readers: screen && conversation && { screen, conversation },
    env: inherited(env),
  };
}

/** Nothing of it leaves the machine: a remote daemon has its own. */
function inherited(env: NodeJS.ProcessEnv): Record<string, string> | undefined {
  if (env.RELAY_URL) return undefined;
  const kept = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(kept.filter(([name]) => !name.startsWith('RELAY_')));
}
