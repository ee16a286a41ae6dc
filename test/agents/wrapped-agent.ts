import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runInstall } from '../../packages/mcp/src/install/index.ts';
import { PROGRAM } from '../kit/cli.ts';
import type { TestDaemon } from '../kit/daemon.ts';
import { startTerminal, type TestTerminal } from '../kit/terminal.ts';
import type { AgentCli, CliSandbox } from './clis/agent-cli.ts';
import { commandsOf } from './npm-cache.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';

/** A real agent CLI in a terminal, started by `agent-relay run`, with its own home and model. */
export interface WrappedAgent extends AsyncDisposable {
  readonly cli: AgentCli;
  readonly name: string;
  readonly terminal: TestTerminal;
  readonly model: ScriptedModel;
  readonly project: string;
  readonly home: string;
  /** The user texts in the newest request to its model. */
  heard(): string[];
  /** Resolves when its model has received a text that contains this. */
  hears(text: string): Promise<void>;
  /** Presses Enter until its model is asked. */
  submit(): Promise<void>;
  /** Types a prompt as a person does, and submits it. */
  prompt(text: string): Promise<void>;
  /** Presses the key until its choice is the chosen one, then Enter, until the question is no longer on the screen. */
  choose(wanted: { question: RegExp; choose: string; chosen: RegExp }): Promise<void>;
  /** Presses keys until this is on the screen. */
  press(keys: string, shown: RegExp): Promise<void>;
  /** Presses Escape once this is on the screen, until it no longer is. */
  escape(shown: RegExp): Promise<void>;
}

export interface WrappedOptions {
  name: string;
  /** Let the CLI ask before it runs commands. */
  asks?: boolean;
  /** Its user has not said yet whether the directory is to be trusted. */
  untrusted?: boolean;
  /** The relay's tools are entered in its settings. */
  installed?: boolean;
  withoutHooks?: boolean;
  /** Give it its messages by its own interface. */
  native?: boolean;
  /** Start it with `agent-relay resume`, in the conversation of its last run. */
  resumed?: boolean;
  /** Start it without `agent-relay run`, with the relay's tools and hooks in its settings. */
  plain?: boolean;
  /** More arguments for the CLI. */
  args?: readonly string[];
  /** Start it from an interactive shell, as one of its jobs. */
  inShell?: boolean;
}

/** What the hooks of `agent-relay mcp install --hooks` run. */
export const HOOK_PROGRAM = {
  program: [PROGRAM, 'hook'],
  plugin: new URL('../../packages/harness-driver/bin/opencode-installed-plugin.js', import.meta.url).href,
};

/** The first turn of some CLIs takes long on a busy machine. */
const DEADLINE_MS = 90_000;
const LOST_KEY_MS = 1500;

export async function startWrapped(
  cli: AgentCli,
  daemon: TestDaemon,
  {
    name,
    asks = false,
    inShell = false,
    installed = false,
    untrusted = false,
    withoutHooks = false,
    native = false,
    resumed = false,
    plain = false,
    args = [],
  }: WrappedOptions,
): Promise<WrappedAgent> {
  if (!cli.terminal) throw new Error(`${cli.title} is not run in a terminal`);
  const commands = await commandsOf(cli.package, cli.version);
  const model = await startScriptedModel();
  const project = await realpath(daemon.projectDirectory);
  const sandbox: CliSandbox = {
    home: join(daemon.directory, 'homes', name),
    project,
    modelUrl: model.url,
    asks,
    untrusted,
    withoutHooks,
  };
  const temporary = join(sandbox.home, 'tmp');
  await mkdir(temporary, { recursive: true });
  await cli.settle(sandbox);
  if (installed || plain) {
    const env = { ...daemon.env, HOME: sandbox.home };
    const hooks = { hooks: plain, hookProgram: HOOK_PROGRAM, ...(plain && { name }) };
    await runInstall({ editor: cli.id, global: true, env, cwd: project, print: () => undefined, ...hooks });
  }
  const { RELAY_DATA_DIR, RELAY_CONFIG } = daemon.env;
  const run = ['run', '--name', name, ...(native ? ['--native'] : []), '--'];
  const program = [cli.command, ...cli.terminal.args(asks), ...args];
  const relay = [process.execPath, PROGRAM, ...(resumed ? ['resume', name] : [...run, ...program])];
  const command = plain ? program : relay;
  const shell = ['bash', '--norc', '--noprofile', '-i'];
  const terminal = startTerminal(inShell ? shell : command, {
    cwd: project,
    env: {
      PATH: `${commands}:${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: sandbox.home,
      TMPDIR: temporary,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      NO_PROXY: '127.0.0.1,localhost',
      RELAY_DATA_DIR,
      RELAY_CONFIG,
      ...cli.variables(sandbox),
    },
  });
  const { ready, trust } = cli.terminal;
  if (inShell) terminal.type(`${command.map((word) => `'${word}'`).join(' ')}\r`);
  // Keys that come earlier are lost.
  await terminal.until((untrusted && trust?.question) || ready, DEADLINE_MS);
  const said = (): string[] =>
    (model.requests.findLast(({ tools }) => tools.length > 0)?.turns ?? [])
      .filter(({ kind }) => kind === 'user')
      // OpenCode puts a blank after what was pasted.
      .map(({ text }) => text.trimEnd());
  const press = async (keys: string, shown: RegExp) => {
    for (let isShown = false; !isShown; ) {
      terminal.type(keys);
      const came = terminal.until(shown).then(() => true);
      isShown = await Promise.race([came, setTimeout(LOST_KEY_MS, false)]);
    }
  };
  // A CLI that is just drawing something may lose a key, or take it for a new line.
  const submit = async () => {
    const asked = model.asked().then(() => true);
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    do {
      if (deadline.aborted) throw new Error(`${name} does not submit its prompt:\n${terminal.screen()}`);
      terminal.type('\r');
    } while (!(await Promise.race([asked, setTimeout(LOST_KEY_MS, false)])));
  };
  return {
    cli,
    name,
    terminal,
    model,
    project,
    home: sandbox.home,
    heard: said,
    async hears(text) {
      const deadline = AbortSignal.timeout(DEADLINE_MS);
      while (!said().some((one) => one.includes(text))) {
        if (deadline.aborted) throw new Error(`${name} never heard ${text}:\n${terminal.screen()}`);
        await Promise.race([model.asked(), timeUp(deadline)]);
      }
    },
    press,
    async escape(shown) {
      // A hook tells of a dialog before it is drawn.
      await terminal.until(shown);
      for (let gone = false; !gone; ) {
        terminal.type('\x1b');
        const left = terminal.until((screen) => !shown.test(screen)).then(() => true);
        gone = await Promise.race([left, setTimeout(LOST_KEY_MS, false)]);
      }
    },
    async choose({ question, choose, chosen }) {
      for (let gone = false; !gone; ) {
        if (!chosen.test(terminal.screen())) await press(choose, chosen);
        terminal.type('\r');
        // A dialog that is drawn anew begins with its first choice again.
        const left = terminal.until((screen) => !question.test(screen)).then(() => true);
        gone = await Promise.race([left, setTimeout(LOST_KEY_MS, false)]);
      }
    },
    submit,
    async prompt(text) {
      terminal.type(`\x1b[200~${text}\x1b[201~`);
      // A long line is broken, and some draw a bar before each row.
      await terminal.until((screen) =>
        screen.replace(/[\s┃]/g, '').includes(text.slice(-20).replace(/\s/g, '')),
      );
      await submit();
    },
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

const timeUp = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
