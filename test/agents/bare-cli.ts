import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startTerminal, type TestTerminal } from '../kit/terminal.ts';
import { type AgentCli, writeHome } from './clis/agent-cli.ts';
import { commandsOf } from './npm-cache.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';

const QUIET_MS = 1200;

export interface BareOptions {
  asks: boolean;
  untrusted?: boolean;
  /** Files of its home, by path, for this project, so that it asks something before its first session. */
  files?: ((project: string) => Record<string, unknown>) | undefined;
  columns?: number;
  rows?: number;
  /** Between the parts of an answer of its model. */
  paceMs?: number;
}

/** A real CLI in a terminal, without the relay, to see what it draws. */
export interface BareCli extends AsyncDisposable {
  readonly terminal: TestTerminal;
  readonly model: ScriptedModel;
  /** Resolves when the screen has not changed for a while, except spinners and clocks. */
  quiet(): Promise<void>;
  press(keys: string): Promise<void>;
  /** Presses Enter; resolves when the model was asked, and the screen is still. */
  submit(): Promise<void>;
}

/** In `directory` are its home and its project, which it finds again in the next session. */
export async function startBare(
  cli: AgentCli,
  directory: string,
  { asks, untrusted = false, files, columns = 100, rows = 24, paceMs = 0 }: BareOptions,
): Promise<BareCli> {
  const commands = await commandsOf(cli.package, cli.version);
  const model = await startScriptedModel({ paceMs });
  const sandbox = {
    home: join(directory, 'home'),
    project: join(directory, 'demo'),
    modelUrl: model.url,
    asks,
    untrusted,
  };
  const temporaryFiles = join(sandbox.home, 'tmp');
  await mkdir(temporaryFiles, { recursive: true });
  await mkdir(sandbox.project, { recursive: true });
  await cli.settle(sandbox);
  for (const [path, content] of Object.entries(files?.(sandbox.project) ?? {}))
    await writeHome(sandbox, path, content);
  const own = cli.id === 'codex' ? ['--no-daemon'] : [];
  const terminal = startTerminal([join(commands, cli.command), ...own, ...(cli.terminal?.args(asks) ?? [])], {
    cwd: sandbox.project,
    columns,
    rows,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: sandbox.home,
      TMPDIR: temporaryFiles,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      NO_PROXY: '127.0.0.1,localhost',
      ...(asks ? { COLORTERM: 'truecolor' } : {}),
      ...cli.variables(sandbox),
    },
  });
  const quiet = async () => {
    const still = () => terminal.screen().replace(/[^\p{L}\n]/gu, '');
    for (let before = ''; before !== still(); ) {
      before = still();
      await setTimeout(QUIET_MS);
    }
  };
  if (!untrusted && !files) await terminal.until(cli.terminal?.ready ?? /./);
  await quiet();
  return {
    terminal,
    model,
    quiet,
    async press(keys) {
      if (keys !== '') terminal.type(keys);
      await quiet();
    },
    async submit() {
      const asked = model.asked();
      terminal.type('\r');
      await asked;
      await quiet();
    },
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}
