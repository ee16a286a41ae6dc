import { Command } from 'commander';
import { VERSION } from '../version.ts';
import { refuseOptionsBefore } from './options.ts';

/** Each command is a module of its own, loaded only when it is used. */
const COMMANDS: Record<string, () => Promise<{ command: Command }>> = {
  up: () => import('./commands/up.ts'),
  daemon: () => import('./commands/daemon.ts'),
  status: () => import('./commands/status.ts'),
  who: () => import('./commands/who.ts'),
  send: () => import('./commands/send.ts'),
  inbox: () => import('./commands/inbox.ts'),
  read: () => import('./commands/read.ts'),
  react: () => import('./commands/react.ts'),
  chat: () => import('./commands/chat.ts'),
  channel: () => import('./commands/channel.ts'),
  history: () => import('./commands/history.ts'),
  thread: () => import('./commands/thread.ts'),
  search: () => import('./commands/search.ts'),
  readers: () => import('./commands/readers.ts'),
  attachment: () => import('./commands/attachment.ts'),
  tail: () => import('./commands/tail.ts'),
  trace: () => import('./commands/trace.ts'),
  redact: () => import('./commands/redact.ts'),
  held: () => import('./commands/held.ts'),
  workspace: () => import('./commands/workspace.ts'),
  agent: () => import('./commands/agent.ts'),
  audit: () => import('./commands/audit.ts'),
  export: () => import('./commands/export.ts'),
  import: () => import('./commands/import.ts'),
  mcp: () => import('./commands/mcp.ts'),
  'mcp-server': () => import('./commands/mcp-server.ts'),
  gateway: () => import('./commands/gateway.ts'),
  launch: () => import('./commands/launch.ts'),
  run: () => import('./commands/run.ts'),
  completion: () => import('./commands/completion.ts'),
};

/** The program with the command that `args` name, or with all of them where help or a suggestion may be needed. */
export async function buildProgram(args: string[]): Promise<Command> {
  const [first = ''] = args;
  // Completion has to know all of them.
  const named = first === 'completion' ? undefined : COMMANDS[first];
  const loaders = named ? [named] : ['-V', '--version'].includes(first) ? [] : Object.values(COMMANDS);
  const program = new Command('agent-relay')
    .description('Let coding agents and people talk through one local daemon.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain the command')
    // An option belongs to the command it stands behind: both `mcp` and `mcp serve` have --tools.
    .enablePositionalOptions()
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', '\n--as, --project and --json may also stand before the command.');
  for (const { command } of await Promise.all(loaders.map((load) => load()))) program.addCommand(command);
  // Wrong usage is thrown, and told in the same form as every other failure.
  everyCommand(program, (command) => {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    command.helpOption('-h, --help', 'explain the command');
    command.hook('preSubcommand', refuseOptionsBefore);
  });
  if (args.length === 0) program.action(() => program.outputHelp());
  return program;
}

/** Visits a command and all below it. */
export function everyCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) everyCommand(child, visit);
}
