import type { AgentCli } from '../../agents/clis/agent-cli.ts';
import { Sender } from '../../agents/sender.ts';
import { startWrapped } from '../../agents/wrapped-agent.ts';
import type { TestDaemon } from '../../kit/daemon.ts';

/** Milliseconds from sending a message to knowing that an idle agent's CLI has taken it, for each size. */
export async function injectionTimes(
  cli: AgentCli,
  daemon: TestDaemon,
  { sizes, messages }: { sizes: readonly number[]; messages: number },
): Promise<Map<number, number[]>> {
  await using sender = await Sender.connect(daemon, `To-${cli.id}`);
  await using agent = await startWrapped(cli, daemon, { name: cli.title });
  // The first one also waits for the CLI to start.
  await sender.untilPath(cli.title, 'ready');
  await agent.hears((await sender.send(agent.name, 'Are you there?')).id);
  const times = new Map<number, number[]>(sizes.map((size) => [size, []]));
  for (let number = 0; number < messages; number++) {
    for (const size of sizes) {
      await sender.untilPath(cli.title, 'ready');
      await sender.untilSteady();
      const start = performance.now();
      const { id } = await sender.send(
        agent.name,
        `${number}:${size} ${'a line of words\n'.repeat(size / 16)}`,
      );
      await sender.untilInjected(id);
      times.get(size)?.push(performance.now() - start);
      await agent.hears(id);
    }
  }
  return times;
}
