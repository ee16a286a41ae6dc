import type { OperationParams, OperationResult } from '@agent-relay/protocol';
import { type Principal, requireOwner } from '../principal.ts';
import type { Relay } from '../relay.ts';

const MINUTE_MS = 60_000;

/** The messages of the last minutes, with a zero for each without any. */
export async function countMessages(
  { store, agents, clock }: Relay,
  principal: Principal,
  { minutes, agent }: OperationParams<'MESSAGE_COUNTS'>,
): Promise<OperationResult<'MESSAGE_COUNTS'>> {
  requireOwner(principal, 'count the messages of the project');
  const { workspace } = principal;
  const until = Math.floor(clock.now() / MINUTE_MS);
  const from = until - minutes + 1;
  const found = await store.countMessages({
    workspaceId: workspace.id,
    ...(agent === undefined ? {} : { senderId: agents.get(workspace, agent).id }),
    from,
    until,
  });
  const counts = new Array<number>(minutes).fill(0);
  for (const { minute, messages } of found) counts[minute - from] = messages;
  return { since: from * MINUTE_MS, counts };
}
