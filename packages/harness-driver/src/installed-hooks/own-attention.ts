import type { Attention } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';

/** When the connected agent wants its messages while it works. */
export const ownAttention = async (relay: Relay): Promise<Attention | undefined> =>
  (await relay.who({ agent: relay.name ?? '' }))[0]?.attention;
