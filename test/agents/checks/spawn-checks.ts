import { strict as assert } from 'node:assert';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlive, processMark } from '../../../packages/platform/src/processes/index.ts';
import { startDaemon, UNGOVERNED } from '../../kit/daemon.ts';
import { eventually } from '../../kit/eventually.ts';
import type { AgentCli, CliSandbox } from '../clis/agent-cli.ts';
import { commandsOf } from '../npm-cache.ts';
import { startScriptedModel } from '../scripted-model.ts';
import type { Checks } from './checks.ts';
import type { TerminalResults } from './terminal-checks.ts';

/** CLIs take long on a busy machine. */
const DEADLINE_MS = 60_000;
/** Between the parts of an answer. */
const PACE_MS = 50;

/** A CLI that the relay starts by itself: its model is told the task, and nothing is left of it afterwards. */
export async function checkSpawn(checks: Checks, cli: AgentCli): Promise<TerminalResults> {
  const named = (what: string) => `${cli.title} as a worker ${what}`;
  await using daemon = await startDaemon({ settings: UNGOVERNED });
  // No model answers within one look at the screen: such a turn would not be seen.
  await using model = await startScriptedModel({ paceMs: PACE_MS });
  const home = join(daemon.directory, 'homes', 'Worker');
  const sandbox: CliSandbox = {
    home,
    project: await realpath(daemon.projectDirectory),
    modelUrl: model.url,
    asks: false,
  };
  await mkdir(join(home, 'tmp'), { recursive: true });
  const env = {
    PATH: `${await commandsOf(cli.package, cli.version)}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    LANG: 'C.UTF-8',
    NO_PROXY: '127.0.0.1,localhost',
    ...cli.variables(sandbox),
  };
  const spawn = (asks: boolean, ...words: string[]) =>
    daemon.cli(['spawn', ...words, '--json', '--', ...(cli.terminal?.args(asks) ?? [])], {
      env,
      timeoutMs: 2 * DEADLINE_MS,
    });
  const results: TerminalResults = { spawned: 'failed', released: 'failed' };
  /** Without those for a title, which OpenCode sends first. */
  const requests = () => model.requests.filter(({ tools }) => tools.length > 0);
  const heard = () =>
    requests()
      .flatMap(({ turns }) => turns)
      .flatMap(({ kind, text }) => (kind === 'user' ? [text] : []));

  if (cli.id === 'claude' || cli.id === 'codex')
    await checks.run(
      named('says that it asks whether to trust the folder, and is not answered'),
      async () => {
        await cli.settle({ ...sandbox, untrusted: true });
        // Answered long before that: only a person can go on.
        const { stdout } = await spawn(true, 'Unsettled', cli.command, 'Is ticket 20 done?', '--wait', '10m');
        const { status, reason } = JSON.parse(stdout);
        assert.deepEqual([status, reason?.code], ['spawning', 'starting']);
        assert.deepEqual(heard(), []);
        await daemon.cli(['release', 'Unsettled']);
      },
    );

  await cli.settle(sandbox);
  await checks.run(named('works on its task, and is gone when it is released'), async () => {
    if (cli.terminal?.needsInstall)
      await daemon.cli(['mcp', 'install', '--global', '--editor', cli.id], { env });
    model.add('use relay_status {}');
    const { stdout, stderr } = await spawn(
      false,
      'Worker',
      cli.command,
      'Is ticket 21 done?',
      '--wait',
      '60s',
    );
    assert.deepEqual(JSON.parse(stdout || stderr), { name: 'Worker', status: 'ready' });
    const isTask = (text: string) => /from a person, directive\n\| Is ticket 21 done\?(\n|$)/.test(text);
    while (!heard().some(isTask)) await model.asked();
    // A model that begins without the tools of the relay may never get them.
    const { tools } = requests().find(({ turns }) => turns.some(({ text }) => isTask(text))) ?? { tools: [] };
    assert.ok(tools.some(({ name }) => name.endsWith('relay_send')));
    // They act as the worker.
    const found = () => model.requests.flatMap(({ turns }) => turns).filter(({ kind }) => kind === 'result');
    while (found().length === 0) await model.asked();
    assert.match(found()[0]?.text ?? '', /(Agent Name: |"agentName":")Worker\b/);
    model.add('');
    const [, task = ''] = /\[(msg_\w+)\]/.exec(heard().find(isTask) ?? '') ?? [];
    const traced = await daemon.cli(['trace', task, '--json']);
    results.spawned = JSON.parse(traced.stdout || traced.stderr).deliveries[0].path;
    const [agent] = JSON.parse((await daemon.cli(['who', '--json'])).stdout).filter(
      ({ name }: { name: string }) => name === 'Worker',
    );
    assert.equal(agent.run.state, 'ready');
    assert.equal(agent.run.version, cli.version);
    const running = processesIn(home);
    assert.ok(running.length > 0);
    await daemon.cli(['release', 'Worker']);
    assert.deepEqual(running.filter(isAlive), []);
  });

  /** Starts a worker whose model runs a command without an end. */
  const spawnBusy = async (name: string): Promise<void> => {
    // Claude Code refuses a long `sleep`.
    model.add(cli.terminal?.shell('tail -f /dev/null', false) ?? '');
    await spawn(false, name, cli.command, 'Wait.', '--wait', '60s');
    await eventually(
      () => processesIn(home).some(({ command }) => command === 'tail\0-f\0/dev/null\0'),
      DEADLINE_MS,
    );
    model.add('');
  };

  await checks.run(named('is gone when it is released while it runs a command'), async () => {
    await spawnBusy('Busy');
    await daemon.cli(['release', 'Busy']);
    assert.deepEqual(processesIn(home), []);
    results.released = 'nothing left';
  });

  await checks.run(named('is gone when its host is killed while it runs a command'), async () => {
    await spawnBusy('Lost');
    process.kill(hostOf(home), 'SIGKILL');
    await eventually(() => processesIn(home).length === 0, DEADLINE_MS);
    await daemon.cli(['release', 'Lost']);
  });

  const conversations = cli.terminal?.conversations;
  if (conversations !== undefined)
    await checks.run(named('goes on in its conversation after its host was killed'), async () => {
      const task = 'Is ticket 22 done?';
      const { stdout, stderr } = await spawn(false, 'Again', cli.command, task, '--wait', '60s');
      assert.deepEqual(JSON.parse(stdout || stderr), { name: 'Again', status: 'ready' });
      const run = async () =>
        JSON.parse((await daemon.cli(['who', '--all', '--json'])).stdout).find(
          ({ name }: { name: string }) => name === 'Again',
        ).run;
      await eventually(async () => (await run()).resumable, DEADLINE_MS);
      // A CLI writes its conversation a moment after its turn has begun.
      const stored = () => globSync(join(home, conversations)).map((file) => readFileSync(file, 'utf8'));
      await eventually(() => stored().some((text) => text.includes(task)), DEADLINE_MS);
      process.kill(hostOf(home), 'SIGKILL');
      await eventually(async () => (await run()).state === 'exited', DEADLINE_MS);
      const sent = await daemon.cli(['send', 'Again', 'And ticket 23?', '--json']);
      const { messageId } = JSON.parse(sent.stdout);
      const resumed = await daemon.cli(['resume', 'Again', '--wait', '60s', '--json'], {
        env,
        timeoutMs: 2 * DEADLINE_MS,
      });
      assert.deepEqual(JSON.parse(resumed.stdout || resumed.stderr), { name: 'Again', status: 'ready' });
      // One request with what it was told before, and with the message that waited.
      await eventually(
        () =>
          model.requests.some(({ turns }) =>
            [task, `[${messageId}]`].every((text) => turns.some((turn) => turn.text.includes(text))),
          ),
        DEADLINE_MS,
      );
      await daemon.cli(['release', 'Again']);
      assert.deepEqual(processesIn(home), []);
    });
  return results;
}

/** The process that holds the terminal of the only agent with this home. */
function hostOf(home: string): number {
  for (const { pid } of processesIn(home)) {
    const [, parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    if (readFileSync(`/proc/${parent}/cmdline`, 'utf8').endsWith('\0host\0')) return Number(parent);
  }
  throw new Error('No host is running.');
}

/** Everything that runs with this home. */
function processesIn(home: string): Array<{ pid: number; mark: string; command: string }> {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isOurs = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
      const mark = processMark(Number(name));
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return isOurs && mark !== undefined ? [{ pid: Number(name), mark, command }] : [];
    } catch {
      // Somebody else's, or gone by now.
      return [];
    }
  });
}
