import { strict as assert } from 'node:assert';
import { CONTEXT_FULL, SIGNED_OUT } from '../failures.ts';
import type { Failure } from '../scripted-model.ts';
import type { Sender } from '../sender.ts';
import type { WrappedAgent } from '../wrapped-agent.ts';
import type { Checks } from './checks.ts';

type Arrived = (agent: WrappedAgent, sent: { id: string; envelope: string }) => Promise<unknown>;

const FAILURES: Array<[reason: 'signed_out' | 'context_full' | 'usage_limit', failure: Failure]> = [
  ['signed_out', SIGNED_OUT],
  ['context_full', CONTEXT_FULL],
  [
    'usage_limit',
    {
      status: 429,
      body: { error: { type: 'usage_limit_reached', message: 'The usage limit has been reached.' } },
    },
  ],
];

/** What an agent does whose messages come by the interface of its CLI. */
export async function checkNative(
  checks: Checks,
  agent: WrappedAgent,
  sender: Sender,
  arrived: Arrived,
): Promise<void> {
  const named = (what: string) => `${agent.cli.title} by its own interface ${what}`;
  const { name } = agent;
  /** Opens a new session in place of the one with this prompt. */
  const openSession = async (before: string) => {
    agent.terminal.type('/new');
    await agent.terminal.until(agent.cli.terminal?.newSession ?? /./);
    agent.terminal.type('\r');
    await agent.terminal.until((screen) => !screen.includes(before));
  };

  await checks.run(
    named('gets an urgent message in the turn it is in, after the one before it'),
    async () => {
      await sender.untilPath(name, 'ready');
      const answer = agent.model.think();
      await agent.prompt('Think about ticket 31.');
      await sender.untilPath(name, 'busy');
      const later = await sender.send(name, 'Is ticket 32 done?');
      assert.equal(await sender.reasonOf(later.id), 'busy');
      const urgent = await sender.send(name, 'Stop ticket 31.', { urgent: true });
      await sender.untilAccepted(later.id);
      answer();
      await arrived(agent, later);
      await arrived(agent, urgent);
      await sender.untilPath(name, 'ready');
    },
  );

  await checks.run(named('gets a message in the session that the person has opened'), async () => {
    await sender.untilPath(name, 'ready');
    await agent.prompt('The old thread.');
    await agent.hears('The old thread.');
    await sender.untilPath(name, 'ready');
    await openSession('The old thread.');
    const sent = await sender.send(name, 'Is ticket 33 done?');
    await arrived(agent, sent);
    assert.ok(!agent.heard().includes('The old thread.'));
    await agent.terminal.until(/Is ticket 33 done\?/);
  });

  for (const [reason, failure] of FAILURES) {
    await checks.run(named(`holds messages while it is at ${reason}, and gets them after`), async () => {
      await sender.untilPath(name, 'ready');
      const succeed = agent.model.fail(failure);
      await agent.prompt('Think about ticket 34.');
      await sender.untilPath(name, reason);
      const sent = await sender.send(name, 'Is ticket 35 done?');
      assert.equal(await sender.reasonOf(sent.id), reason);
      succeed();
      await agent.prompt('Once more.');
      await arrived(agent, sent);
    });
  }

  await checks.run(named('gets a message in a new session after the context was full'), async () => {
    await sender.untilPath(name, 'ready');
    const succeed = agent.model.fail(CONTEXT_FULL);
    await agent.prompt('Think about ticket 36.');
    await sender.untilPath(name, 'context_full');
    const sent = await sender.send(name, 'Is ticket 37 done?');
    assert.equal(await sender.reasonOf(sent.id), 'context_full');
    succeed();
    await openSession('Think about ticket 36.');
    await arrived(agent, sent);
    assert.ok(!agent.heard().includes('Think about ticket 36.'));
  });

  // Codex leaves it to the person.
  if (agent.cli.id !== 'opencode') return;
  await checks.run(named('goes on by itself after it has made room in a full context'), async () => {
    await sender.untilPath(name, 'ready');
    const succeed = agent.model.fail(CONTEXT_FULL);
    // Until the model is asked for the first time.
    await agent.prompt('Think about ticket 38.');
    succeed();
    await agent.terminal.until(/─ Compaction ─/);
    await sender.untilPath(name, 'ready');
    await arrived(agent, await sender.send(name, 'Is ticket 39 done?'));
  });
}
