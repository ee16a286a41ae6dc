import type { CliAdapter } from '../clis/adapter.ts';
import type { PatternOptions } from './agent-host.ts';

/** How commands are found in this CLI's text, and what the agents it starts inherit. */
export function patternsOf({ screen, conversation }: CliAdapter, env: NodeJS.ProcessEnv): PatternOptions {
  return {
    readers: screen && conversation && { screen, conversation },
    env: inherited(env),
  };
}

/** Not sent to a remote daemon, which has its own. */
function inherited(env: NodeJS.ProcessEnv): Record<string, string> | undefined {
  if (env.RELAY_URL) return undefined;
  const kept = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(kept.filter(([name]) => !name.startsWith('RELAY_')));
}
