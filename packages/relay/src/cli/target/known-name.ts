import { nameKey, plainAgentName } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';

/** The agent name for a name or handle, with or without `@`; unknown ones are returned unchanged. */
export async function knownName(relay: Relay, reference: string): Promise<string> {
  const name = plainAgentName(reference);
  const is = (other = '') => nameKey(other) === nameKey(name);
  const agents = await relay.who({ includeOffline: true });
  const found = agents.find((agent) => is(agent.name)) ?? agents.find((agent) => is(agent.handle));
  return found?.name ?? name;
}
