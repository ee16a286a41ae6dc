import { strict as assert } from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlive, processMark } from '../../packages/platform/src/processes/index.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import type { Checks } from './checks.ts';
import type { AgentCli, CliSandbox } from './clis/agent-cli.ts';
import { commandsOf } from './npm-cache.ts';
import { startScriptedModel } from './scripted-model.ts';

/** A CLI that the relay starts by itself: its model is told the task, and nothing is left of it afterwards. */
export async function checkSpawn(checks: Checks, cli: AgentCli): Promise<void> {
  const named = (what: string) => `${cli.title} as a worker ${what}`;
  await using daemon = await startDaemon({ settings: UNGOVERNED });
  await using model = await startScriptedModel();
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
    daemon.cli(['spawn', ...words, '--json', '--', ...(cli.terminal?.args(asks) ?? [])], { env });
  const heard = () =>
    model.requests.flatMap(({ turns }) => turns).flatMap(({ kind, text }) => (kind === 'user' ? [text] : []));

  // Codex does not ask in the home that the tests give it.
  if (cli.id === 'claude')
    await checks.run(
      named('says that it asks whether to trust the folder, and is not answered'),
      async () => {
        await cli.settle({ ...sandbox, project: '/elsewhere' });
        const { stdout } = await spawn(true, 'Unsettled', cli.command, 'Is ticket 20 done?', '--wait', '15s');
        const { status, reason } = JSON.parse(stdout);
        assert.deepEqual([status, reason?.code], ['spawning', 'starting']);
        assert.deepEqual(heard(), []);
        await daemon.cli(['release', 'Unsettled']);
      },
    );

  await cli.settle(sandbox);
  await checks.run(named('works on its task, and is gone when it is released'), async () => {
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
}

/** Everything that runs with this home. */
function processesIn(home: string): Array<{ pid: number; mark: string }> {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isOurs = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
      const mark = processMark(Number(name));
      return isOurs && mark !== undefined ? [{ pid: Number(name), mark }] : [];
    } catch {
      // Somebody else's, or gone by now.
      return [];
    }
  });
}
