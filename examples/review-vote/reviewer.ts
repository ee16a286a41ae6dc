import { connect } from '@agent-relay/sdk/node';

/** A reviewer that votes once, and says how that ended. */
export async function review(name: string, proposalId: string, vote: string): Promise<string> {
  await using relay = await connect({ name, channels: ['#reviewers'] });
  const { status, error } = await relay.invoke(
    'review.submit_vote',
    { proposalId, vote },
    { wait: true, timeoutMs: 10_000 },
  );
  return status === 'completed' ? `${name} voted ${vote}` : `${name}: ${error?.message ?? status}`;
}
