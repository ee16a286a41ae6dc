import type { Peer } from '../directory/presence.ts';

/** Ends connections whose credential is not valid any more. A copy is walked: each one leaves while it ends. */
export function endConnections(peers: Iterable<Peer>): void {
  for (const peer of [...peers]) peer.revoke();
}
