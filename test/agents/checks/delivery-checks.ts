import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import { startDaemon, type TestDaemon, UNGOVERNED } from '../../kit/daemon.ts';
import type { AgentCli } from '../clis/agent-cli.ts';
import { Ledger } from '../ledger.ts';
import { Sender } from '../sender.ts';
import { startWrapped, type WrappedAgent, type WrappedOptions } from '../wrapped-agent.ts';
import type { Checks } from './checks.ts';

/** So many messages are sent between two kills. */
const BETWEEN_DAEMONS = 8;
/** A CLI takes longer to come back. */
const BETWEEN_HOSTS = 8;
/** A kill comes at any moment within this time after a message was sent. */
const WITHIN_MS = 1500;

/** The daemon is killed again and again while messages are sent: each reaches the model once, in order. */
export async function checkDaemonKills(
  checks: Checks,
  cli: AgentCli,
  count: number,
  options: Pick<WrappedOptions, 'withoutHooks' | 'native'> = {},
): Promise<void> {
  const how = options.native ? 'native' : options.withoutHooks ? 'pty' : cli.terminal?.path;
  await checks.run(
    `${cli.title} by ${how}: ${count} messages while the daemon is killed: all, once, in order`,
    async () => {
      await using daemon = await startDaemon({ settings: UNGOVERNED });
      await using sender = await Sender.connect(daemon, 'Sender');
      await using agent = await startWrapped(cli, daemon, { name: 'Worker', ...options });
      await sender.untilPath('Worker', 'ready');
      const ledger = new Ledger(sender, 'Worker');
      ledger.follow(agent.model);
      const kills = new Kills(BETWEEN_DAEMONS, () => restart(daemon));
      await shown(agent, async () => {
        await ledger.send(count, (number) => kills.after(number));
        await kills.over();
        await ledger.close();
        ledger.assertOnceInOrder();
        ledger.assertAllReceived();
      });
      console.log(`      ${kills.count} kills of the daemon`);
    },
  );
}

/** The host of the agent is killed, and its CLI with it, and the agent is resumed: what had been begun is uncertain. */
export async function checkHostKills(checks: Checks, cli: AgentCli, count: number): Promise<void> {
  await checks.run(
    `${cli.title}: ${count} messages while its host is killed: each once, in order, or uncertain`,
    async () => {
      await using daemon = await startDaemon({ settings: { ...UNGOVERNED, goneAfterMs: 500 } });
      await using sender = await Sender.connect(daemon, 'Sender');
      const ledger = new Ledger(sender, 'Worker');
      const start = async (resumed: boolean) => {
        const started = await startWrapped(cli, daemon, { name: 'Worker', resumed });
        ledger.follow(started.model);
        return started;
      };
      let agent = await start(false);
      await sender.untilPath('Worker', 'ready');
      const kills = new Kills(BETWEEN_HOSTS, async () => {
        await agent[Symbol.asyncDispose]();
        agent = await start(true);
      });
      try {
        await ledger.send(count, (number) => kills.after(number));
        await kills.over();
        await ledger.close();
      } finally {
        await agent[Symbol.asyncDispose]();
      }
      ledger.assertOnceInOrder();
      assert.ok(ledger.uncertain <= kills.count, `${ledger.uncertain} uncertain after ${kills.count} kills`);
      console.log(`      ${kills.count} kills of the host, ${ledger.uncertain} messages uncertain`);
    },
  );
}

/** Shows what is on the agent's screen if something fails. */
async function shown({ terminal }: WrappedAgent, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.log(terminal.screen());
    throw error;
  }
}

/** Kills that do not wait for each other, nor what they hit for them, and one at a time. */
class Kills {
  readonly #between: number;
  readonly #kill: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  count = 0;

  constructor(between: number, kill: () => Promise<void>) {
    this.#between = between;
    this.#kill = kill;
  }

  after(number: number): void {
    if (number % this.#between !== 0) return;
    this.count++;
    this.#last = this.#last.then(() => setTimeout(Math.random() * WITHIN_MS)).then(this.#kill);
    // Whoever waits for the last one is told.
    this.#last.catch(() => undefined);
  }

  over(): Promise<void> {
    return this.#last;
  }
}

async function restart(daemon: TestDaemon): Promise<void> {
  await daemon.kill9();
  await daemon.start();
}
