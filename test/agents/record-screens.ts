// Records the screens of the real CLIs that the relay has to read: node test/agents/record-screens.ts [claude|codex]
import { mkdir, mkdtempDisposable, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Screen } from '../../packages/harness-driver/src/screen/screen.ts';
import { screenFile } from '../kit/screen-files.ts';
import { startTerminal, type TestTerminal } from '../kit/terminal.ts';
import type { AgentCli, CliSandbox } from './clis/agent-cli.ts';
import { claude } from './clis/claude.ts';
import { codex } from './clis/codex.ts';
import { commandsOf } from './npm-cache.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';

const QUIET_MS = 1200;
const [COLUMNS, ROWS] = [100, 24];
const only = process.argv[2];
const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;
await using temporary = await mkdtempDisposable(join(tmpdir(), 'relay-screens-'));
const directory = await realpath(temporary.path);

interface Session {
  terminal: TestTerminal;
  model: ScriptedModel;
  save(name: string): Promise<void>;
  press(keys: string): Promise<void>;
}

for (const cli of [claude, codex].filter(({ id }) => only === undefined || id === only)) {
  // Codex does not ask this if its model needs no account.
  if (cli === claude)
    await inSession(cli, { asks: true, args: [] }, untrusted, async ({ save }) => save('trust'));
  await inSession(cli, { asks: true }, undefined, recordQuestions(cli));
  await inSession(cli, { asks: false }, undefined, recordTurns(cli));
}

function recordTurns(cli: AgentCli) {
  return async ({ save, press, model }: Session) => {
    await save('idle');
    await press('please do not');
    await save('draft');
    await press('\x15');
    await press(cli === claude ? 'line one\\\rline two' : 'line one\nline two');
    await save('draft of two lines');
    await press('\x03');
    await press('/model');
    await save('slash command');
    await press('\r');
    await save('menu');
    await press('\x1b');
    await press('?');
    await save('shortcuts');
    await press(cli === claude ? '\x7f' : '\x1b');
    await press(paste(`| a line of text\n`.repeat(50).trimEnd()));
    await save('paste of many lines');
    await press('\x03');
    await press(paste('| a line of text\n'.repeat(100)));
    await save('long paste');
    const answer = model.think();
    await press('\r');
    await save('thinking');
    await press('and then');
    await save('draft while thinking');
    await press('\x15');
    answer();
    await press('');
    await save('after a turn');
    await press(paste(cli.terminal?.shell('sleep 8', false) ?? ''));
    await press('\r');
    await save('running a command');
  };
}

function recordQuestions(cli: AgentCli) {
  return async ({ save, press }: Session) => {
    await press(paste(cli.terminal?.shell('touch made.txt', true) ?? ''));
    await press('\r');
    await save('permission dialog');
    await press('\x1b');
    await save('interrupted');
    if (cli !== claude) return;
    const options = ['A', 'B'].map((label) => ({ label, description: label }));
    const question = { question: 'Which?', header: 'Pick', multiSelect: false, options };
    await press(paste(`use AskUserQuestion ${JSON.stringify({ questions: [question] })}`));
    await press('\r');
    await save('question');
  };
}

/** A user who has not answered the trust question yet. */
async function untrusted({ home }: CliSandbox): Promise<void> {
  const file = join(home, '.claude.json');
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), projects: {} }));
}

async function inSession(
  cli: AgentCli,
  { asks, args = cli.terminal?.args(asks) ?? [] }: { asks: boolean; args?: string[] },
  prepare: ((sandbox: CliSandbox) => Promise<void>) | undefined,
  record: (session: Session) => Promise<void>,
): Promise<void> {
  const commands = await commandsOf(cli.package, cli.version);
  await using model = await startScriptedModel();
  const sandbox = {
    home: join(directory, 'home'),
    project: join(directory, 'demo'),
    modelUrl: model.url,
    asks,
  };
  const temporaryFiles = join(sandbox.home, 'tmp');
  await mkdir(temporaryFiles, { recursive: true });
  await mkdir(sandbox.project, { recursive: true });
  await cli.settle(sandbox);
  await prepare?.(sandbox);
  const own = cli === codex ? ['--no-daemon'] : [];
  await using terminal = startTerminal([join(commands, cli.command), ...own, ...args], {
    cwd: sandbox.project,
    columns: COLUMNS,
    rows: ROWS,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: sandbox.home,
      TMPDIR: temporaryFiles,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      NO_PROXY: '127.0.0.1,localhost',
      ...cli.variables(sandbox),
    },
  });
  const session: Session = {
    terminal,
    model,
    async save(name) {
      const screen = new Screen({ columns: COLUMNS, rows: ROWS });
      screen.feed(Buffer.from(terminal.output()));
      await screen.settled();
      const view = screen.view();
      if (!view) throw new Error('the screen is not known');
      const file = join(import.meta.dirname, 'screens', cli.id, `${name.replaceAll(' ', '-')}.txt`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, screenFile(view).replaceAll(directory, '/work'));
      console.log(`${cli.title} ${cli.version}: ${name}`);
    },
    async press(keys) {
      if (keys !== '') terminal.type(keys);
      await quiet(terminal);
    },
  };
  await terminal.until(/[❯›]/);
  await quiet(terminal);
  await record(session);
}

/** Resolves when the screen has not changed for a while, except spinners and clocks. */
async function quiet(terminal: TestTerminal): Promise<void> {
  const still = () => terminal.screen().replace(/[^\p{L}\n]/gu, '');
  for (let before = ''; before !== still(); ) {
    before = still();
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}
