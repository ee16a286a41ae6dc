import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Command, Option } from 'commander';
import type { Settings } from '../../../daemon/settings/settings.ts';
import { addressOf, clientConfig, portProblem } from '../../launch/address.ts';
import { launchKey } from '../../launch/key.ts';
import { openKitty } from '../../launch/kitty.ts';
import { type Prompts, readPrompts, templateDirectory } from '../../launch/prompts.ts';
import { DEFAULT_ROLES, parseRoles } from '../../launch/roles.ts';
import { DEFAULT_COMMAND, sessionLayout } from '../../launch/sessions.ts';
import { openTmux } from '../../launch/tmux.ts';
import { type ProjectOption, refuseIdleOptions, wholeNumber } from '../../options.ts';
import { print, printAside, styled } from '../../output/terminal.ts';
import { findProjectLocation, type OpenedProject } from '../../target/project.ts';

type Options = ProjectOption & {
  roles: string;
  port: number;
  command: string;
  tmux?: boolean;
  kitty?: boolean;
  logOnly?: boolean;
};

/** The input of a launcher. */
interface Launch extends Options {
  settings: Settings;
  key: string | undefined;
  prompts: Prompts;
}

const oneWay = (name: string, description: string): Option =>
  new Option(`--${name}`, description).conflicts(
    ['manual', 'tmux', 'kitty'].filter((other) => other !== name),
  );

export const command = new Command('launch')
  .description('Set up several agent sessions, each with a role and an inbox')
  .addOption(oneWay('manual', 'print a prompt for each role to paste into a session (default)'))
  .addOption(oneWay('tmux', 'open tmux with the relay and a shell for each role'))
  .addOption(oneWay('kitty', 'the same in a kitty tab'))
  .option('--roles <list>', 'comma-separated roles', DEFAULT_ROLES)
  .option('--port <number>', 'port the sessions connect to', wholeNumber(1), 7331)
  .option('--command <line>', 'command to type for each role, with --tmux or --kitty', DEFAULT_COMMAND)
  .option('--project <name>', 'project name for this directory')
  .addOption(new Option('--log-only').hideHelp())
  .action(launch);

async function launch(options: Options, self: Command): Promise<void> {
  if (!options.tmux && !options.kitty) refuseIdleOptions(self, ['command'], { without: '--tmux or --kitty' });
  const roles = parseRoles(options.roles);
  const problem = await portProblem(options.port);
  if (problem) {
    if (problem.code !== 'PortInUse') throw problem;
    printAside(`error: ${problem.message}`);
    printAside(`next: Is the relay already running? ${problem.next}`);
    process.exitCode = 1;
    return;
  }
  const { loadSettings } = await import('../../../daemon/settings/settings.ts');
  const settings = await loadSettings();
  const key = await launchKey(settings);
  const prompts = await readPrompts(settings.configDirectory, roles);
  const { tmux, kitty } = options;
  await (tmux || kitty ? openShells : serve)({ ...options, settings, key, prompts });
}

async function openShells({ settings: { dataDirectory }, tmux, ...launched }: Launch): Promise<void> {
  const layout = await sessionLayout({ ...launched, dataDirectory });
  const way = tmux ? await openTmux(layout) : await openKitty(layout);
  if (way === undefined) return;
  const [program = '', ...args] = way;
  if (process.stdout.isTTY) await once(spawn(program, args, { stdio: 'inherit' }), 'close');
  else print(`Attach with: ${way.join(' ')}`);
}

async function serve(launched: Launch): Promise<void> {
  const { serveRoles } = await import('../../launch/serve.ts');
  const roles = [...launched.prompts.keys()];
  const onReady = (project: OpenedProject) => introduce(launched, project);
  await serveRoles({ ...launched, roles, location: await findProjectLocation(launched), onReady });
}

function introduce({ port, key, prompts, settings, logOnly }: Launch, { project }: OpenedProject): void {
  const roles = [...prompts.keys()].join(', ');
  print(`Serving ${roles} at ${addressOf(port)} (project ${project}). Ctrl-C to stop.`);
  if (logOnly) return;
  print('Add this to your client once; for Claude Code, to .mcp.json in the project:');
  print(clientConfig(port, key));
  print(
    `Paste each prompt into a session. To change the prompts, edit ${templateDirectory(settings.configDirectory)}`,
  );
  const [first = ''] = prompts.keys();
  print(
    `If your client has an agent-relay entry as well, start each session under the name of its role: RELAY_AGENT_NAME=${first} claude`,
  );
  for (const [role, prompt] of prompts) print(`\n${heading(role)}\n${prompt}`);
  print(`\n${heading('messages')}`);
}

const heading = (label: string): string =>
  styled('bold', `━━━ ${label} ${'━'.repeat(Math.max(3, 72 - label.length))}`);
