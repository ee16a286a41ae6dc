import { strict as assert } from 'node:assert';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runInstall } from '../../../packages/mcp/src/install/index.ts';
import { startDaemon, UNGOVERNED } from '../../kit/daemon.ts';
import { eventually } from '../../kit/eventually.ts';
import { startAgent } from '../agent.ts';
import type { AgentCli } from '../clis/agent-cli.ts';
import { processesIn } from '../processes.ts';
import { Sender, type SentMessage } from '../sender.ts';
import { HOOK_PROGRAM, startWrapped, type WrappedAgent, type WrappedOptions } from '../wrapped-agent.ts';
import type { Checks } from './checks.ts';

const DEADLINE_MS = 60_000;
/** What Codex asks at its start. */
const UNTRUSTED = {
  question: /Hooks need review/,
  choose: '\x1b[B',
  chosen: /› 3\. Continue without trusting/,
};

/** A CLI that nobody wrapped, with the hooks that `agent-relay mcp install --hooks` entered. */
export async function checkInstalledHooks(checks: Checks, cli: AgentCli): Promise<void> {
  await using daemon = await startDaemon({ settings: UNGOVERNED });
  await using sender = await Sender.connect(daemon, 'Sender');
  const named = (what: string) => `${cli.title} with installed hooks ${what}`;
  const start = ({ args = [], ...options }: WrappedOptions) =>
    startWrapped(cli, daemon, {
      ...options,
      args: [...(cli.terminal?.plainArgs ?? []), ...args],
      plain: true,
    });
  const trusted = cli.terminal?.trustHooks ?? [];
  if (cli.terminal?.path === 'native') await checkPlugin();
  else if (cli.terminal?.path === 'hook') await checkWaking();
  else await checkTurns();

  async function checkWaking(): Promise<void> {
    await checks.run(named('is woken, and keeps a draft'), async () => {
      await using agent = await start({ name: 'Idle' });
      await waits(agent);
      await arrives(agent, await sender.send('Idle', 'Is ticket 41 done?'));
      agent.terminal.type('not yet sent');
      await agent.terminal.until(/not yet sent/);
      await waits(agent);
      await arrives(agent, await sender.send('Idle', 'Is ticket 42 done?'));
      assert.match(agent.terminal.screen(), /not yet sent/);
    });
    await checks.run(named('has the relay’s tools in its first turn'), async () => {
      const sent = await sender.send('Idle', 'Is ticket 50 done?');
      await using agent = await start({ name: 'Idle' });
      await arrives(agent, sent);
      const [first] = agent.model.requests.filter(({ body }) => body.includes(sent.id));
      assert.ok(first?.tools.some(({ name }) => name.endsWith('relay_send')));
    });
    await checks.run(
      named('gets messages with the next tool result, and has one process waiting'),
      async () => {
        await using agent = await start({ name: 'Busy' });
        await waits(agent);
        const answer = agent.model.think();
        const shell = cli.terminal?.shell('echo first', false) ?? '';
        await agent.prompt(`${shell}\n${shell}`);
        const sent = [];
        for (const number of [1, 2, 3]) sent.push(await sender.send('Busy', `Number ${number} of three.`));
        answer();
        for (const one of sent) await arrives(agent, one);
        await waits(agent);
        process.kill(agent.terminal.pid, 'SIGKILL');
        await agent.terminal.exited;
        await eventually(async () => (await hooksIn(agent)).length === 0, 15_000);
      },
    );
    await checks.run(named('does not wait for them in a print run'), async () => {
      await using agent = await startAgent(cli, join(daemon.directory, 'print'), daemon.projectDirectory);
      const env = { ...daemon.env, HOME: agent.home };
      const { projectDirectory: cwd } = daemon;
      const hooks = { hooks: true, hookProgram: HOOK_PROGRAM };
      await runInstall({ editor: cli.id, global: true, env, cwd, print: () => undefined, ...hooks });
      await agent.ask(['Say hi.'], { RELAY_DATA_DIR: daemon.dataDirectory });
    });
    await checks.run(named('leaves a dialog alone'), async () => {
      await using agent = await start({ name: 'Asking', asks: true });
      await waits(agent);
      await agent.prompt(cli.terminal?.shell('touch made.txt', true) ?? '');
      const { dialog = /./ } = cli.terminal ?? {};
      await agent.terminal.until(dialog);
      const sent = await sender.send('Asking', 'Is ticket 43 done?');
      // Handed over, and kept by Claude Code while it asks: nobody has seen it in its context.
      await eventually(async () => (await sender.reasonOf(sent.id)) === 'path_gone', DEADLINE_MS);
      assert.match(agent.terminal.screen(), dialog);
      await agent.escape(dialog);
      assert.ok(!existsSync(join(agent.project, 'made.txt')));
      await arrives(agent, sent);
      // A hook of the turn that began with it tells.
      await eventually(async () => (await sender.untilInjected(sent.id)).state === 'injected', DEADLINE_MS);
    });
  }

  async function checkPlugin(): Promise<void> {
    await checks.run(named('is woken in the session it shows, and keeps a draft'), async () => {
      await using agent = await start({ name: 'Plugged' });
      await eventually(() => sender.knows('Plugged'), DEADLINE_MS);
      const first = await sender.send('Plugged', 'Is ticket 48 done?');
      // On the start page there is no session.
      assert.equal(await sender.reasonOf(first.id), 'no_interface');
      await agent.prompt('Say hi.');
      await arrives(agent, first);
      agent.terminal.type('not yet sent');
      await agent.terminal.until(/not yet sent/);
      await sender.untilPath('Plugged', 'ready', 'native');
      const second = await sender.send('Plugged', 'Is ticket 49 done?');
      await arrives(agent, second);
      assert.match((await sender.untilInjected(second.id)).state, /^(injected|turn_started)$/);
      assert.match(agent.terminal.screen(), /not yet sent/);
      process.kill(agent.terminal.pid, 'SIGKILL');
      await agent.terminal.exited;
      await eventually(async () => (await hooksIn(agent)).length === 0, 15_000);
    });
  }

  async function checkTurns(): Promise<void> {
    await checks.run(named('gets messages in and after its turns, and with a prompt'), async () => {
      await using agent = await start({ name: 'Worker', args: trusted });
      const shell = (command: string) => cli.terminal?.shell(command, false) ?? '';
      const answer = agent.model.think();
      await agent.prompt(`${shell('echo first')}\n${shell('echo second')}`);
      const normal = await sender.send('Worker', 'Is ticket 44 done?');
      answer();
      await arrives(agent, normal);
      const again = agent.model.think();
      await agent.prompt(`${shell('echo third')}\n${shell('echo fourth')}`);
      const urgent = await sender.send('Worker', 'Stop ticket 45.', { urgent: true });
      again();
      await arrives(agent, urgent);
      const waiting = await sender.send('Worker', 'Is ticket 46 done?');
      assert.equal(await sender.reasonOf(waiting.id), 'between_turns');
      await agent.prompt('Anything new?');
      await arrives(agent, waiting);
    });
    if (trusted.length === 0) return;
    await checks.run(named('gets nothing by hooks that are not trusted'), async () => {
      await using agent = await start({ name: 'Careful' });
      await agent.choose(UNTRUSTED);
      await eventually(() => sender.knows('Careful'), DEADLINE_MS);
      const sent = await sender.send('Careful', 'Is ticket 47 done?');
      assert.equal(await sender.reasonOf(sent.id), 'hook_not_trusted');
      // With the first of them, or at the end of that turn, a hook would bring it.
      for (const prompt of ['Anything new?', 'And now?']) {
        await agent.terminal.until((screen) => !/esc to interrupt/.test(screen));
        await agent.prompt(prompt);
        await agent.hears(prompt);
      }
      assert.ok(!said(agent, sent.id));
      assert.equal(await sender.reasonOf(sent.id), 'hook_not_trusted');
    });
  }

  /** One process of it waits. */
  async function waits(agent: WrappedAgent): Promise<void> {
    await sender.untilPath(agent.name, 'ready', 'hook');
    await eventually(async () => (await hooksIn(agent)).length === 1, DEADLINE_MS);
  }

  /** In the model's context once. */
  async function arrives(agent: WrappedAgent, { id }: SentMessage): Promise<void> {
    await eventually(() => said(agent, id), DEADLINE_MS);
    const last = agent.model.requests.findLast(({ body }) => body.includes(id))?.body ?? '';
    assert.equal(last.split(`[${id}]`).length - 1, 1);
  }
}

const said = (agent: WrappedAgent, id: string): boolean =>
  agent.model.requests.some(({ body }) => body.includes(`[${id}]`));

/** The processes of hooks that wait now, of this agent. */
const hooksIn = ({ project, cli }: WrappedAgent): Promise<number[]> =>
  processesIn(project, (words) => words.includes('hook') && words.at(-2) === cli.id);
