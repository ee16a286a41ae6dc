import { wrap } from '@agent-relay/platform';
import { Command } from 'commander';
import { VERSION } from '../version.ts';
import { refuseOptionsBefore } from './options.ts';
import { columns } from './output/terminal.ts';

/** The overview lists commands, the help of a command its usage, so that both fit narrow terminals. */
const HELP = { subcommandTerm: (command: Command) => command.name(), minWidthToWrap: 12 };

const BEFORE_COMMAND = '--as, --project and --json also work before the command.';

type Load = () => Promise<{ command: Command }>;

/** Commands of `daemon` that can be typed without it. */
export const SHORT_FORMS: Record<string, Load> = {
  start: async () => ({ command: (await import('./commands/daemon/daemon.ts')).startCommand() }),
  stop: async () => ({ command: (await import('./commands/daemon/daemon.ts')).stopCommand() }),
  restart: async () => ({ command: (await import('./commands/daemon/daemon.ts')).restartCommand() }),
  logs: async () => ({ command: (await import('./commands/daemon/daemon.ts')).logsCommand() }),
};

/** Each command is a module, loaded on use. The headings are those of the help. */
const GROUPS: Record<string, Record<string, Load>> = {
  'Daemon:': {
    up: () => import('./commands/daemon/up.ts'),
    ...SHORT_FORMS,
    status: () => import('./commands/daemon/status.ts'),
    dashboard: () => import('./commands/daemon/dashboard.ts'),
    daemon: () => import('./commands/daemon/daemon.ts'),
  },
  'Messages:': {
    send: () => import('./commands/messages/send.ts'),
    inbox: () => import('./commands/messages/inbox.ts'),
    chat: () => import('./commands/messages/chat.ts'),
    history: () => import('./commands/messages/history.ts'),
    thread: () => import('./commands/messages/thread.ts'),
    search: () => import('./commands/messages/search.ts'),
    tail: () => import('./commands/messages/tail.ts'),
    trace: () => import('./commands/messages/trace.ts'),
    read: () => import('./commands/messages/read.ts'),
    readers: () => import('./commands/messages/readers.ts'),
    react: () => import('./commands/messages/react.ts'),
    redact: () => import('./commands/messages/redact.ts'),
    attachment: () => import('./commands/messages/attachment.ts'),
    held: () => import('./commands/messages/held.ts'),
  },
  'Agents and projects:': {
    run: () => import('./commands/terminals/run.ts'),
    spawn: () => import('./commands/terminals/spawn.ts'),
    release: () => import('./commands/terminals/release.ts'),
    kept: () => import('./commands/terminals/kept.ts'),
    prompts: () => import('./commands/terminals/prompts.ts'),
    attach: () => import('./commands/terminals/attach.ts'),
    resume: () => import('./commands/terminals/resume.ts'),
    who: () => import('./commands/agents/who.ts'),
    attention: () => import('./commands/agents/attention.ts'),
    capabilities: () => import('./commands/agents/capabilities.ts'),
    call: () => import('./commands/agents/call.ts'),
    actions: () => import('./commands/agents/actions.ts'),
    agent: () => import('./commands/agents/agent.ts'),
    channel: () => import('./commands/projects/channel.ts'),
    workspace: () => import('./commands/projects/workspace.ts'),
    audit: () => import('./commands/projects/audit.ts'),
    export: () => import('./commands/projects/export.ts'),
    import: () => import('./commands/projects/import.ts'),
  },
  'MCP:': {
    mcp: () => import('./commands/mcp/mcp.ts'),
    'mcp-server': () => import('./commands/mcp/mcp-server.ts'),
    gateway: () => import('./commands/mcp/gateway.ts'),
    servers: () => import('./commands/mcp/servers.ts'),
    launch: () => import('./commands/mcp/launch.ts'),
  },
  'Other:': { completion: () => import('./commands/completion.ts') },
};

/** Started by the relay itself, so not in the help. */
const INTERNAL: Record<string, Load> = {
  host: () => import('./commands/terminals/host.ts'),
  hook: () => import('./commands/terminals/hook.ts'),
};

/** The program with the command in `args`, or with all of them if help or a suggestion may be needed. */
export async function buildProgram(args: string[]): Promise<Command> {
  const [first = ''] = args;
  const program = new Command('agent-relay')
    .description('Let coding agents and people talk through one local daemon')
    .version(VERSION, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    // An option belongs to the command before it: both `mcp` and `mcp serve` have --tools.
    .enablePositionalOptions()
    .addHelpText('after', () => `\n${wrap(BEFORE_COMMAND, columns())}`);
  for (const command of await Promise.all(loaded(first))) program.addCommand(command);
  program.addHelpCommand(helpCommand().helpGroup('Other:'));
  // Usage errors are thrown and shown like every other error.
  everyCommand(program, (command) => {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    command.helpOption('-h, --help', 'show help').configureHelp(HELP);
    if (command !== program && isGroup(command)) command.addHelpCommand(helpCommand());
    command.hook('preSubcommand', refuseOptionsBefore);
  });
  if (args.length === 0) program.action(() => program.outputHelp());
  return program;
}

const helpCommand = (): Command =>
  new Command('help').argument('[command]').description('Show help for a command');

/** Whether it only has subcommands. */
const isGroup = ({ commands, options }: Command): boolean => commands.length > 0 && options.length === 0;

function loaded(first: string): Promise<Command>[] {
  if (['-V', '--version'].includes(first)) return [];
  const internal = Object.hasOwn(INTERNAL, first) ? INTERNAL[first] : undefined;
  if (internal) return [internal().then(({ command }) => command)];
  const all = Object.entries(GROUPS).flatMap(([heading, commands]) =>
    Object.entries(commands).map(([name, load]) => ({ heading, name, load })),
  );
  // Completion needs all of them.
  const named = first === 'completion' ? [] : all.filter(({ name }) => name === first);
  return (named.length > 0 ? named : all).map(async ({ heading, load }) =>
    (await load()).command.helpGroup(heading),
  );
}

/** Visits a command and its subcommands. */
export function everyCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) everyCommand(child, visit);
}
