import { connect, type Relay } from '@agent-relay/sdk/node';
import { z } from 'zod';

const VOTES = ['approve', 'request_changes', 'abstain'] as const;
type Vote = (typeof VOTES)[number];

/** Votes on one proposal, through two actions; resolves with the result when everybody has voted. */
export async function coordinate(
  proposalId: string,
  voters: number,
): Promise<{ relay: Relay; decided: Promise<Record<Vote, number>> }> {
  const relay = await connect({ name: 'Coordinator' });
  const votes = new Map<string, Vote>();
  const { promise: decided, resolve } = Promise.withResolvers<Record<Vote, number>>();
  const count = (vote: Vote) => [...votes.values()].filter((one) => one === vote).length;
  const tally = () => ({
    approve: count('approve'),
    request_changes: count('request_changes'),
    abstain: count('abstain'),
  });
  await relay.channels.join('#reviewers', { create: true });
  await relay.registerAction({
    name: 'review.submit_vote',
    description: 'Submit a review vote for the current proposal.',
    input: z.object({
      proposalId: z.literal(proposalId),
      vote: z.enum(VOTES),
      reason: z.string().optional(),
    }),
    output: z.object({ recorded: z.boolean() }),
    availableTo: ['#reviewers'],
    handler: ({ input, agent }) => {
      if (votes.has(agent.name)) throw new Error(`${agent.name} has voted already.`);
      votes.set(agent.name, input.vote);
      if (votes.size === voters) resolve(tally());
      return { recorded: true };
    },
  });
  await relay.registerAction({
    name: 'review.tally',
    description: 'Show the votes so far.',
    input: z.object({}),
    handler: tally,
  });
  return { relay, decided };
}
