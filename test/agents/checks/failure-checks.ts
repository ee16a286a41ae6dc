import { CONTEXT_FULL, SIGNED_OUT } from '../failures.ts';
import type { Sender, SentMessage } from '../sender.ts';
import type { WrappedAgent } from '../wrapped-agent.ts';
import type { Checks } from './checks.ts';

const FAILURES = [
  ['signed_out', SIGNED_OUT],
  ['context_full', CONTEXT_FULL],
] as const;

/** What an agent does whose messages are typed, if its screen says that a turn has failed. */
export async function checkFailures(
  checks: Checks,
  agent: WrappedAgent,
  {
    sender,
    arrived,
  }: { sender: Sender; arrived: (agent: WrappedAgent, sent: SentMessage) => Promise<string> },
): Promise<void> {
  const { name, cli, model } = agent;
  const named = (what: string) => `${cli.title} by its keyboard ${what}`;
  for (const [reason, failure] of FAILURES) {
    await checks.run(named(`holds messages at ${reason}, and gets them after`), async () => {
      await sender.untilPath(name, 'ready');
      const succeed = model.fail(failure);
      await agent.prompt('Think about ticket 36.');
      await sender.untilPath(name, reason);
      const sent = await sender.send(name, 'Is ticket 37 done?');
      await sender.untilReason(sent.id, reason);
      succeed();
      await agent.prompt('Once more.');
      await arrived(agent, sent);
    });
  }
  // Claude Code puts the prompt back into its composer if nothing was said yet: the message waits for that.
  if (cli.id === 'claude') return;
  await checks.run(named('gets no message right after it was interrupted'), async () => {
    await sender.untilPath(name, 'ready');
    model.think();
    await agent.prompt('Think about ticket 38.');
    await sender.untilPath(name, 'busy');
    const sent = await sender.send(name, 'Is ticket 39 done?');
    const answer = model.think();
    await agent.escape(/esc to (interrupt|cancel)/);
    await sender.untilPath(name, 'interrupted');
    await sender.untilReason(sent.id, 'interrupted');
    answer();
    await arrived(agent, sent);
  });
}
