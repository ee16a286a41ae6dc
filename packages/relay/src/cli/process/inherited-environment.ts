/** What a spawned agent inherits from this process. It is not sent to another machine: a remote daemon has its own. */
export function inheritedEnvironment(env: NodeJS.ProcessEnv): { env?: Record<string, string> } {
  if (env.RELAY_URL) return {};
  const kept = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { env: Object.fromEntries(kept.filter(([name]) => !name.startsWith('RELAY_'))) };
}
