import { RelayError } from '@agent-relay/sdk';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { ClientContext } from './client-context.ts';
import { Turns } from './turns.ts';

/** Listings of one account that are in memory at once: being made, or not yet read by the client. */
const LISTINGS_AT_ONCE = 8;

/** Counts lists that may be long. */
export const listingTurns = (): Turns => new Turns(LISTINGS_AT_ONCE);

/** Waits until the client may have one more long list; its turn ends when the reply is written, or never will be. */
export async function takeListingTurn(
  { listings, replies }: Pick<ClientContext, 'listings' | 'replies'>,
  mcp: ServerContext,
): Promise<void> {
  const leave = await listings();
  replies.after(mcp, async () => leave());
  if (mcp.mcpReq.signal.aborted)
    throw new RelayError('Cancelled', 'The client no longer waits for the list.');
}
