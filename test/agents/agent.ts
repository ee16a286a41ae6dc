import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentCli, CliSandbox } from './clis/agent-cli.ts';
import { commandsOf } from './npm-cache.ts';
import { runCommand } from './run-command.ts';
import { startScriptedModel } from './scripted-model.ts';

/** What a model got to see during the steps of one prompt. */
export interface Asked {
  /** The results of the tools it called, in order. */
  results: string[];
  /** The names of all its tools. */
  tools: string[];
  /** Everything else the client sent it. */
  context: string;
}

/** A real command line agent with its own home and model. */
export interface Agent extends AsyncDisposable {
  readonly cli: AgentCli;
  readonly home: string;
  /** What it prints about its MCP servers. */
  listServers(): Promise<string>;
  /** Runs it once; its model takes the steps (see script.ts). */
  ask(steps: string[], env?: Record<string, string>): Promise<Asked>;
}

export async function startAgent(cli: AgentCli, directory: string, project: string): Promise<Agent> {
  const commands = await commandsOf(cli.package, cli.version);
  const model = await startScriptedModel();
  const sandbox: CliSandbox = { home: join(directory, cli.id), project, modelUrl: model.url };
  const temporary = join(sandbox.home, 'tmp');
  await mkdir(temporary, { recursive: true });
  await cli.settle(sandbox);
  const run = (args: string[], env: Record<string, string> = {}, input?: string) =>
    runCommand({
      file: join(commands, cli.command),
      args,
      input,
      cwd: project,
      env: {
        // Some are scripts that look for Node here; none must find a relay or another agent.
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: sandbox.home,
        TMPDIR: temporary,
        TERM: 'xterm-256color',
        NO_COLOR: '1',
        LANG: 'C.UTF-8',
        NO_PROXY: '127.0.0.1,localhost',
        ...cli.variables(sandbox),
        ...env,
      },
    });
  return {
    cli,
    home: sandbox.home,
    listServers: () => run(cli.list.args),
    async ask(steps, env) {
      const before = model.requests.length;
      const { args = [], input } = cli.ask?.(steps.join('\n')) ?? {};
      const output = await run(args, env, input);
      const asked = model.requests.slice(before).filter(({ tools }) => tools.length > 0);
      const last = asked.at(-1);
      if (!last) throw new Error(`${cli.title} never asked its model:\n${output}`);
      return {
        results: last.turns.filter(({ kind }) => kind === 'result').map(({ text }) => text),
        tools: last.tools.map(({ name }) => name),
        context: last.body,
      };
    },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}
