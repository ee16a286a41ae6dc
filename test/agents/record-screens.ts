// Records the screens of the real CLIs that the relay has to read: node test/agents/record-screens.ts [claude|codex|gemini|opencode]
import { mkdir, mkdtemp, mkdtempDisposable, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Screen } from '../../packages/harness-driver/src/screen/screen.ts';
import { screenFile } from '../kit/screen-files.ts';
import { type BareCli, type BareOptions, startBare } from './bare-cli.ts';
import type { AgentCli } from './clis/agent-cli.ts';
import { claude, KEY } from './clis/claude.ts';
import { codex } from './clis/codex.ts';
import { gemini } from './clis/gemini.ts';
import { opencode } from './clis/opencode.ts';
import { CONTEXT_FULL, SIGNED_OUT, USAGE_LIMIT } from './failures.ts';

/** What the model says to a prompt without steps. */
const ANSWER = /Nothing to do\./;
const only = process.argv[2];
const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;
await using temporary = await mkdtempDisposable(join(tmpdir(), 'relay-screens-'));
const directory = await realpath(temporary.path);

/** Keys that close the list of shortcuts which `?` opens. */
const SHORTCUTS: Record<string, string> = { claude: '\x7f', codex: '\x1b', gemini: '\x1b' };
/** Where `!` turns the composer into one for shell commands. */
const SHELL_MODE = new Set(['gemini', 'opencode']);
const HOOK = { hooks: [{ type: 'command', command: 'true' }] };
/** In Claude Code's own file: what a user has answered before. */
const ANSWERED = { hasCompletedOnboarding: true, customApiKeyResponses: { approved: [KEY.slice(-20)] } };
const trusted = (directory: string) => ({ projects: { [directory]: { hasTrustDialogAccepted: true } } });

interface FirstQuestion {
  name: string;
  shows: RegExp;
  asks?: boolean;
  files: NonNullable<BareOptions['files']>;
}

/** What they ask before their first session, with these files in their home. */
const QUESTIONS: Record<string, FirstQuestion[]> = {
  claude: [
    {
      name: 'setup',
      shows: /\bChoose the text style\b/,
      files: () => ({ '.claude.json': { ...ANSWERED, hasCompletedOnboarding: false } }),
    },
    {
      name: 'sign-in',
      shows: /\bDo you want to use this API key\b/,
      files: (project) => ({ '.claude.json': { hasCompletedOnboarding: true, ...trusted(project) } }),
    },
    {
      name: 'permission mode',
      shows: /\bYes, I accept\b/,
      asks: false,
      files: (project) => ({
        '.claude.json': { ...ANSWERED, ...trusted(project) },
        '.claude/settings.json': {},
      }),
    },
    {
      name: 'mcp servers',
      shows: /\bNew MCP server found\b/,
      files: (project) => ({
        '.claude.json': { ...ANSWERED, ...trusted(project) },
        '../demo/.mcp.json': { mcpServers: { everything: { command: 'true' } } },
      }),
    },
  ],
  gemini: [
    {
      name: 'sign-in',
      shows: /\bHow would you like to authenticate\b/,
      files: () => ({ '.gemini/settings.json': {} }),
    },
  ],
  codex: [
    {
      name: 'sign-in',
      shows: /\bChoose how you want to use Codex\b/,
      files: () => ({ '.codex/config.toml': 'check_for_update_on_startup = false\n' }),
    },
    {
      name: 'update',
      shows: /\bUpdate available\b/,
      files: () => ({
        '.codex/config.toml': '',
        '.codex/version.json': { latest_version: '999.0.0', last_checked_at: new Date() },
      }),
    },
    {
      name: 'hook review',
      shows: /\bHooks need review\b/,
      files: () => ({ '.codex/hooks.json': { hooks: { Stop: [HOOK] } } }),
    },
  ],
};
/** Homes in which they have no key for their model, and say so without asking it. */
const WITHOUT_KEY: Record<string, Omit<FirstQuestion, 'name'>> = {
  claude: {
    shows: /\bNot logged in\b/,
    files: (project) => ({
      '.claude.json': {
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: [], rejected: [KEY.slice(-20)] },
        ...trusted(project),
      },
    }),
  },
  codex: {
    shows: /^■ /m,
    files: () => ({
      '.codex/config.toml': `model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:9/v1"
wire_api = "responses"
env_key = "NO_SUCH_KEY"
`,
    }),
  },
};
const SIZES = { narrow: { columns: 45 }, wide: { columns: 160, rows: 40 } };

interface Session extends BareCli {
  /** Records the screen once it shows this. */
  save(name: string, shows?: RegExp): Promise<void>;
}

for (const cli of [claude, codex, gemini, opencode].filter(({ id }) => only === undefined || id === only)) {
  const { trust } = cli.terminal ?? {};
  if (trust)
    await inSession(cli, { asks: true, untrusted: true }, ({ save }) => save('trust', trust.question));
  for (const { name, shows, asks = true, files } of QUESTIONS[cli.id] ?? [])
    await inSession(cli, { asks, files }, ({ save }) => save(name, shows));
  const without = WITHOUT_KEY[cli.id];
  if (without)
    await inSession(cli, { asks: true, files: without.files }, async ({ press, save }) => {
      await press(paste('Once more.'));
      await press('\r');
      await save('without a key', without.shows);
    });
  await inSession(cli, { asks: true }, recordQuestions(cli));
  await inSession(cli, { asks: false }, recordTurns(cli));
  if (cli !== opencode) await inSession(cli, { asks: false }, recordFailures(cli));
  for (const [name, size] of Object.entries(SIZES))
    await inSession(cli, { asks: false, ...size }, recordSize(cli, name));
}

function recordTurns({ id, terminal }: AgentCli) {
  return async ({ save, press, submit, model }: Session) => {
    await save('idle');
    await press('please do not');
    await save('draft');
    await press('\x15');
    await press(`line one${terminal?.newLine}line two`);
    await save('draft of two lines');
    await press('\x03');
    await press(terminal?.menu.command ?? '');
    await save('slash command');
    await press('\r');
    await save('menu');
    await press('\x1b');
    const closeShortcuts = SHORTCUTS[id];
    if (closeShortcuts !== undefined) {
      await press('?');
      await save('shortcuts');
      await press(closeShortcuts);
    }
    if (SHELL_MODE.has(id)) {
      await press('!');
      await save('shell mode');
      await press('\x1b');
    }
    await press(paste(`| a line of text\n`.repeat(50).trimEnd()));
    await save('paste of many lines');
    await press('\x03');
    await press(paste('| a line of text\n'.repeat(100)));
    await save('long paste');
    const answer = model.think();
    await submit();
    await save('thinking');
    await press('and then');
    await save('draft while thinking');
    await press('\x15');
    answer();
    await save('after a turn', ANSWER);
    if (!terminal?.retriesAtLimit) {
      const succeed = model.fail(USAGE_LIMIT);
      await press(paste('Once more.'));
      await submit();
      await save('usage limit');
      succeed();
    }
    await press(paste(terminal?.shell('sleep 8', false) ?? ''));
    await submit();
    await save('running a command');
  };
}

/** What the screen says of a turn that the model refused. */
function recordFailures({ id }: AgentCli, size = '') {
  return async ({ save, press, submit, model }: Session) => {
    for (const [name, failure] of [
      ['signed out', SIGNED_OUT],
      ['context full', CONTEXT_FULL],
    ] as const) {
      const succeed = model.fail(failure);
      await press(paste('Once more.'));
      await submit();
      // Codex tries again some times.
      await save(`${name}${size}`, id === 'codex' ? /^■ /m : undefined);
      succeed();
    }
  };
}

/** In a narrow terminal lines are broken; a wide one has room for more. */
function recordSize(cli: AgentCli, name: string) {
  const { id, terminal } = cli;
  return async (session: Session) => {
    const { save, press, submit, model } = session;
    await save(`idle, ${name}`);
    await press('please do not');
    await save(`draft, ${name}`);
    await press('\x15');
    const answer = model.think();
    await press(paste('Think about it.'));
    await submit();
    await save(`thinking, ${name}`);
    answer();
    await save(`after a turn, ${name}`, ANSWER);
    await press(terminal?.menu.command ?? '');
    await press('\r');
    await save(`menu, ${name}`);
    await press('\x1b');
    if (id !== 'opencode') await recordFailures(cli, `, ${name}`)(session);
  };
}

function recordQuestions({ terminal }: AgentCli) {
  return async ({ save, press, submit }: Session) => {
    await press(paste(terminal?.shell('touch made.txt', true) ?? ''));
    await submit();
    await save('permission dialog', terminal?.dialog);
    await press('\x1b');
    await save('interrupted');
    if (terminal?.question === undefined) return;
    await press(terminal.question.mode?.keys ?? '');
    await press(paste(terminal.question.step));
    await submit();
    await save('question', /^(?!.*use).*Which\?/m);
  };
}

async function inSession(
  cli: AgentCli,
  options: BareOptions,
  record: (session: Session) => Promise<void>,
): Promise<void> {
  // What is asked for the sake of its files is not asked in other sessions.
  const place = options.files ? await mkdtemp(join(directory, 'asked-')) : directory;
  await using bare = await startBare(cli, place, options);
  const { terminal, quiet } = bare;
  await record({
    ...bare,
    async save(name, shows) {
      if (shows) await terminal.until(shows);
      await quiet();
      const { cols: columns, rows } = terminal.emulator;
      const screen = new Screen({ columns, rows });
      screen.feed(Buffer.from(terminal.output()));
      await screen.settled();
      const view = screen.view();
      if (!view) throw new Error('the screen is not known');
      const file = join(import.meta.dirname, 'screens', cli.id, `${name.replaceAll(/,? /g, '-')}.txt`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, screenFile(view).replaceAll(place, '/work'));
      console.log(`${cli.title} ${cli.version}: ${name}`);
    },
  });
}
