import { resolve } from 'node:path';
import { RelayError, safeText } from '@agent-relay/protocol';
import type { Environment } from '@agent-relay/sdk/node';
import { chooseToolsets, GATEWAY_TOOLSET, toolsetNames } from '../framework/toolset.ts';
import { DEFAULT_ROLES } from '../participant/roles.ts';
import { knownToolsets } from '../toolsets/index.ts';
import { chooseClients } from './choose-clients.ts';
import { CLIENTS, type Client, homeOf, type Machine } from './clients.ts';
import { installedClients } from './detect.ts';
import { readConfigFile, replaceConfigFile } from './editing/config-file.ts';
import type { Entry, Table } from './editing/config-format.ts';
import { type Edit, isAsNew, withEntry, withoutEntry } from './editing/edit.ts';
import { showChange } from './editing/show-change.ts';
import { type HookProgram, type HookStart, hookEnvironment, hookProgramFor } from './hook-command.ts';
import { fittedStep, type Installed, nextSteps } from './next-steps.ts';
import { isTemporaryCopy, SERVER_NAME, serverCommand } from './server-command.ts';
import { agentNames, type NamedEntry, sharedNameWarnings } from './shared-names.ts';

export interface UninstallOptions {
  /** The ids of clients, also several in one text (`claude,codex`), or `auto` (the default). */
  editor?: string | readonly string[] | undefined;
  /** Use the user configuration instead of the project's. */
  global?: boolean | undefined;
  /** Show the changes without writing them. */
  dryRun?: boolean | undefined;
  /** The directory of the project. Default: the working directory. */
  cwd?: string;
  /** Default: `process.env`. */
  env?: Environment;
  platform?: NodeJS.Platform;
  /** Prints a line for a person. Default: to standard output. */
  print?: (line: string) => void;
}

export interface InstallOptions extends UninstallOptions {
  /** The toolsets to serve, as in `--tools`. */
  tools?: string | undefined;
  /** The agent name (`RELAY_AGENT_NAME`); with several clients, each gets its own: `NAME-claude`, `NAME-codex`. */
  name?: string | undefined;
  /** Also use the client's own hooks, if it has any, to pass messages on to the agent. */
  hooks?: boolean | undefined;
  /** The program that the hooks run. */
  hookProgram?: HookProgram;
  /** The program that serves the toolset `gateway`, which this package does not: a file and its first arguments. */
  gatewayProgram?: readonly string[];
}

/** What happened to the file of one client. */
export interface FileChange {
  client: string;
  file: string;
  outcome: 'added' | 'updated' | 'removed' | 'unchanged';
  /** Path of the backup of the old file. */
  backup?: string;
}

/** Adds the relay's MCP server to clients; `auto` means every client the user has. */
export async function runInstall(options: InstallOptions = {}): Promise<FileChange[]> {
  const task = taskOf(options);
  const chosen = chooseClients(task.editor, () => found(task, installedClients(task.machine)));
  if (chosen.length === 0) throw new RelayError('ClientNotFound');
  const program = programFor(options);
  const hookProgram = options.hooks ? hookProgramFor(options) : undefined;
  const names = agentNames(options.name, chosen);
  if (isTemporaryCopy) {
    task.print(
      'Note: This copy of the relay is in the npx cache and may be deleted. Install the relay, then run this again.',
    );
  }
  const project = task.global ? undefined : task.directory;
  const installed: Installed[] = [];
  const changes = each(chosen, async (client) => {
    const name = names.get(client);
    const hooked = hookProgram && client.hooks ? client.id : undefined;
    // A client without project files serves all projects.
    const command = serverCommand(
      {
        tools: options.tools,
        name,
        program,
        project: client.projectFile && project,
        hooks: hooked,
      },
      task.machine.env,
    );
    const change = await apply(task, client, (file, text) =>
      withEntry(client, file, text, client.entry(command)),
    );
    const shared = name ?? hooked;
    if (shared !== undefined) {
      const isFixed = name !== undefined;
      await warnOfSharing(task, { client, name: shared, isFixed, hasHooks: hooked !== undefined });
    }
    const hooks =
      hookProgram &&
      (await applyHooks(task, client, { ...hookProgram, client: client.id, env: hookEnvironment(command) }));
    installed.push({ client, files: [change.file, ...(hooks ? [hooks.file] : [])] });
    return change;
  });
  // Even if one of them failed: the others can be used.
  return await changes.finally(() => {
    if (installed.length > 0 && !task.dryRun)
      for (const step of nextSteps(installed, project, hookProgram !== undefined))
        for (const line of fittedStep(safeText(step), task.columns)) task.print(line);
  });
}

async function warnOfSharing(task: Task, entry: NamedEntry): Promise<void> {
  const filesOf = ({ projectFile, globalFile }: Client) => [
    ...(projectFile ? [projectFile(task.directory)] : []),
    globalFile(task.machine),
  ];
  const warnings = await sharedNameWarnings(entry, filesOf, task.global);
  for (const warning of warnings) task.print(safeText(`  ${warning}`));
}

/** The program that serves these toolsets, if not the default. Refused now, because the server would not start. */
function programFor({ tools, gatewayProgram }: InstallOptions): readonly string[] | undefined {
  if (tools === undefined) return undefined;
  const names = toolsetNames(tools);
  const ours = names.filter((name) => name !== GATEWAY_TOOLSET);
  const hasGateway = ours.length < names.length;
  if (ours.length > 0 || !hasGateway) chooseToolsets(ours, knownToolsets(DEFAULT_ROLES));
  if (!hasGateway) return undefined;
  if (gatewayProgram) return gatewayProgram;
  throw new RelayError('InvalidRequest', 'This program does not serve the toolset "gateway".', {
    next: `Run: agent-relay mcp install --tools ${tools}`,
  });
}

/** Removes the relay's entry; `auto` means every client that has it. */
export async function runUninstall(options: UninstallOptions = {}): Promise<FileChange[]> {
  const task = taskOf(options);
  const suspects: Client[] = [];
  for (const client of chooseClients(task.editor, () => found(task, CLIENTS))) {
    // Ignore a broken file that does not mention the relay.
    if ((await readConfigFile(fileOf(task, client)))?.includes(SERVER_NAME)) suspects.push(client);
  }
  const remove = (client: Client) => apply(task, client, (file, text) => withoutEntry(client, file, text));
  const removed = (await each(suspects, remove)).filter(({ outcome }) => outcome === 'removed');
  const hooked = chooseClients(task.editor, () => found(task, CLIENTS)).filter(({ hooks }) => hooks);
  const unhooked = (await each(hooked, (client) => applyHooks(task, client))).filter(
    (change) => change?.outcome === 'removed',
  );
  if (removed.length + unhooked.length === 0) task.print('Nothing to remove.');
  return [...removed, ...unhooked.filter((change) => change !== undefined)];
}

interface Task {
  machine: Machine;
  directory: string;
  editor: string | readonly string[] | undefined;
  global: boolean;
  dryRun: boolean;
  print: (line: string) => void;
  /** Of the terminal that it prints to. */
  columns: number;
}

const taskOf = (options: UninstallOptions): Task => ({
  machine: { env: options.env ?? process.env, platform: options.platform ?? process.platform },
  directory: resolve(options.cwd ?? process.cwd()),
  editor: options.editor,
  global: options.global ?? false,
  dryRun: options.dryRun ?? false,
  print: options.print ?? ((line) => void process.stdout.write(`${line}\n`)),
  columns: (!options.print && process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY,
});

/** An install for one project must not change all projects. */
const found = ({ global }: Task, clients: readonly Client[]): Client[] =>
  clients.filter((client) => global || client.projectFile !== undefined);

const fileOf = ({ global, directory, machine }: Task, client: Client): string =>
  (global ? undefined : client.projectFile?.(directory)) ?? client.globalFile(machine);

/** Adds the hooks of a client; without a start, removes them. */
async function applyHooks(task: Task, client: Client, start?: HookStart): Promise<FileChange | undefined> {
  const { hooks } = client;
  if (!hooks) return undefined;
  const isProject = !task.global && client.projectFile !== undefined;
  const file = isProject ? hooks.projectFile(task.directory) : hooks.globalFile(task.machine);
  const before = await readConfigFile(file);
  if (start === undefined && !before?.includes(hooks.mark)) return undefined;
  const { text, old, now } = hooks.edit(file, before ?? '', start);
  const outcome = outcomeOf(text === before, old, now);
  const rendered = (table: Table | undefined) => (table ? JSON.stringify(table, undefined, 2) : '');
  return await write(task, { client, file, outcome, before, text }, rendered(old), rendered(now));
}

async function apply(
  task: Task,
  client: Client,
  edit: (file: string, text: string) => Edit,
): Promise<FileChange> {
  const file = fileOf(task, client);
  const before = await readConfigFile(file);
  const { text, old, now } = edit(file, before ?? client.newFile ?? '');
  const outcome = outcomeOf(text === before, old, now);
  if (now === undefined && old === undefined) return { client: client.id, file, outcome };
  return await write(task, { client, file, outcome, before, text }, render(client, old), render(client, now));
}

interface Written {
  client: Client;
  file: string;
  outcome: FileChange['outcome'];
  before: string | undefined;
  text: string;
}

/** Shows what changes, and writes it unless this is a dry run. */
async function write(
  task: Task,
  { client, file, outcome, before, text }: Written,
  old: string,
  now: string,
): Promise<FileChange> {
  const change: FileChange = { client: client.id, file, outcome };
  task.print(safeText(`${client.title}: ${file} (${outcome}${task.dryRun ? ', not written' : ''})`));
  if (outcome === 'unchanged') return change;
  // Only the relay's part is shown: the rest of the file may contain secrets.
  for (const line of showChange(old, now)) task.print(safeText(`  ${line}`));
  if (task.dryRun) return change;
  const after = outcome === 'removed' && isAsNew(client, text) ? undefined : text;
  const keep = [task.directory, homeOf(task.machine)];
  const backup = await replaceConfigFile({ file, before, after, keep }, task.machine.env);
  if (backup === undefined) return change;
  task.print(safeText(`  backup: ${backup}`));
  return { ...change, backup };
}

function outcomeOf(isSame: boolean, old: unknown, now: unknown): FileChange['outcome'] {
  if (isSame) return 'unchanged';
  if (now === undefined) return 'removed';
  return old === undefined ? 'added' : 'updated';
}

const render = (client: Client, entry: Table | undefined): string =>
  entry === undefined ? '' : client.format.set('', client.servers, SERVER_NAME, entry as Entry);

/** A client with a broken file does not stop the others; its error is thrown at the end. */
async function each<T>(clients: Client[], work: (client: Client) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  const failures: RelayError[] = [];
  for (const client of clients) {
    try {
      done.push(await work(client));
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      failures.push(error);
    }
  }
  const [first, ...others] = failures;
  if (first === undefined) return done;
  if (others.length === 0) throw first;
  const steps = new Set(failures.map(({ next }) => next));
  throw new RelayError(first.code, failures.map(({ message }) => message).join('\n'), {
    next: [...steps].join(' '),
  });
}
