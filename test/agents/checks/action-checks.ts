import { strict as assert } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Relay } from '@agent-relay/sdk/node';
import { runInstall } from '../../../packages/mcp/src/install/index.ts';
import type { TestDaemon } from '../../kit/daemon.ts';
import type { Agent } from '../agent.ts';
import type { Checks } from './checks.ts';

/** A new action is a tool of every client within this time. */
const APPEARS_WITHIN_MS = 1000;

const VOTE = { type: 'object', properties: { vote: { type: 'string' } }, required: ['vote'] };

/** The real client calls tools that a program registers as actions: before it connects, and while it runs. */
export async function checkActions(
  checks: Checks,
  { cli, home, ask }: Agent,
  daemon: TestDaemon,
  project: string,
): Promise<void> {
  const { id, title } = cli;
  const env = { ...daemon.env, HOME: home };
  await runInstall({
    ...{ editor: id, cwd: project, env, name: title },
    tools: 'workspace,actions',
    print: () => undefined,
  });
  await using coordinator = await connect({ env: daemon.env, cwd: project, name: 'Coordinator' });
  const votes: string[] = [];
  const register = (relay: Relay, name: string, more?: () => Promise<void>) =>
    relay.registerAction({
      name,
      description: 'Submit a vote',
      input: VOTE,
      handler: async ({ input, agent }) => {
        // Names are kept as they were first written.
        votes.push(`${name} ${agent.name.toLowerCase()} ${(input as { vote: string }).vote}`);
        await more?.();
        return { recorded: true };
      },
    });
  await checks.run(`${title} calls an action as a tool, whose name has a dot`, async () => {
    await register(coordinator, 'review.submit_vote');
    const { results } = await ask(['use review.submit_vote {"vote":"approve"}', 'use check_inbox {}']);
    assert.match(results[0] ?? '', /"status":\s*"invoked"/);
    assert.match(results[0] ?? '', /review\.submit_vote/);
    assert.deepEqual(votes, [`review.submit_vote ${id} approve`]);
  });
  await checks.run(`${title} calls an action that was registered after it connected`, async () => {
    votes.length = 0;
    await register(coordinator, 'review.open', async () => {
      await register(coordinator, 'review.late_vote');
      await delay(APPEARS_WITHIN_MS);
    });
    const open = { name: 'review.open', input: { vote: 'open' }, wait: true };
    await ask([
      `use invoke_action ${JSON.stringify(open)}`,
      // Its client hears of the new tool meanwhile, and lists its tools again.
      ...Array.from({ length: 3 }, () => 'use list_actions {}'),
      cli.keepsTools
        ? 'use invoke_action {"name":"review.late_vote","input":{"vote":"abstain"}}'
        : 'use review.late_vote {"vote":"abstain"}',
      'use check_inbox {}',
    ]);
    assert.deepEqual(votes, [`review.open ${id} open`, `review.late_vote ${id} abstain`]);
  });
}
