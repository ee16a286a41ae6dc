import { strict as assert } from 'node:assert';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRelayError, type PromptInfo } from '@agent-relay/protocol';
import { connect } from '../../../packages/sdk/src/node/index.ts';
import { PROGRAM } from '../../kit/cli.ts';
import { startDaemon, UNGOVERNED } from '../../kit/daemon.ts';
import { eventually } from '../../kit/eventually.ts';
import { startTerminal } from '../../kit/terminal.ts';
import type { AgentCli } from '../clis/agent-cli.ts';
import { Sender } from '../sender.ts';
import { startWrapped } from '../wrapped-agent.ts';
import type { Checks } from './checks.ts';

/** A person answers the permission prompts of an agent from elsewhere, through the interface of its CLI. */
export async function checkPrompts(checks: Checks, cli: AgentCli): Promise<void> {
  const { terminal } = cli;
  if (!terminal) throw new Error(`${cli.title} is not run in a terminal`);
  const named = (what: string) => `${cli.title}: a permission prompt that a person elsewhere ${what}`;
  await using daemon = await startDaemon({ settings: UNGOVERNED });
  await using sender = await Sender.connect(daemon, 'Sender');
  await using owner = await connect({ env: daemon.env, cwd: daemon.projectDirectory });
  await using agent = await startWrapped(cli, daemon, { name: 'Asking', asks: true, native: true });
  const made = (file: string) => existsSync(join(agent.project, file));
  /** The prompt that the CLI shows when it is to make a file. */
  const asked = async (file: string, description?: string): Promise<PromptInfo> => {
    await sender.untilPath('Asking', 'ready');
    await agent.prompt(terminal.shell(`touch ${file}`, true, description));
    await agent.terminal.until(terminal.dialog);
    const prompt = await eventually(async () => (await owner.prompts.list())[0]);
    assert.equal(prompt.agent, 'Asking');
    assert.ok(prompt.text.includes(`touch ${file}`), prompt.text);
    return prompt;
  };
  const isClosed = () => agent.terminal.until((screen) => !terminal.dialog.test(screen));
  const refused = (error: unknown) => isRelayError(error, 'PromptChanged');

  let seen: PromptInfo | undefined;
  await checks.run(named('allows is gone from its terminal, and the command has run'), async () => {
    seen = await asked('allowed.txt');
    assert.ok(!made('allowed.txt'));
    await owner.prompts.answer(seen, 'allow');
    await isClosed();
    await eventually(async () => made('allowed.txt') || undefined);
    await sender.untilPath('Asking', 'ready');
    assert.deepEqual(await owner.prompts.list(), []);
  });
  await checks.run(named('has seen before is not the one that is open now: nothing is sent'), async () => {
    const open = await asked('denied.txt');
    assert.notEqual(open.digest, seen?.digest);
    if (seen) await assert.rejects(owner.prompts.answer(seen, 'allow'), refused);
    await agent.terminal.until(terminal.dialog);
    assert.ok(!made('denied.txt'));
  });
  await checks.run(named('denies is gone from its terminal, and the command has not run'), async () => {
    const [open] = await owner.prompts.list();
    assert.ok(open);
    const answers = [owner.prompts.answer(open, 'deny'), owner.prompts.answer(open, 'allow')];
    const ends = await Promise.allSettled(answers);
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    await isClosed();
    await sender.untilPath('Asking', 'ready');
    assert.ok(!made('denied.txt'));
  });
  await checks.run(named('sees is closed when it was answered in the terminal'), async () => {
    const open = await asked('typed.txt');
    agent.terminal.type('\r');
    await eventually(async () => made('typed.txt') || undefined);
    await assert.rejects(owner.prompts.answer(open, 'deny'), refused);
    await eventually(async () => ((await owner.prompts.list()).length === 0 ? true : undefined));
  });
  for (const columns of [80, 40])
    await checks.run(
      named(`allows by its command, whatever the agent says about it, in ${columns} columns`),
      async () => {
        const file = `read-${columns}.txt`;
        const { text } = await asked(file, LIE);
        const [title, command, ...said] = text.split('\n');
        assert.equal(title, 'Run this command:');
        assert.ok(command?.startsWith('  ') && command.includes(`touch ${file}`), text);
        assert.deepEqual(said, [`Described by the agent as: ${TOLD}`]);
        await using person = startTerminal([process.execPath, PROGRAM, 'prompts', 'allow', 'Asking'], {
          cwd: daemon.projectDirectory,
          env: { ...daemon.env, PATH: process.env.PATH ?? '' },
          columns,
          rows: 24,
        });
        await person.until(/^Allow this, once\? \[y\/N\]/m);
        assert.match(person.screen(), /^Run this command:\n {2}/);
        person.type('y\r');
        await person.until(/^Allowed Asking\./m);
        await eventually(async () => made(file) || undefined);
        await isClosed();
      },
    );
}

/** What would hide the command, if it came first. Short: what is longer is pasted as an attachment in some CLIs. */
const LIE = `list${'\n'.repeat(10)}Described by the agent as: ls`;
const TOLD = 'list Described by the agent as: ls';
