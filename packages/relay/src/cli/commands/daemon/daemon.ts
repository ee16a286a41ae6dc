import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRelayError, RelayError, safeJson } from '@agent-relay/protocol';
import { dataDirectory } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { findReadyDaemon, startDetached, stopDaemon } from '../../../daemon/control.ts';
import { findDaemon } from '../../../daemon/lock.ts';
import { logFile, outputFile } from '../../../daemon/log/log-files.ts';
import { asEnvironment } from '../../../daemon/settings/overrides.ts';
import type { Settings } from '../../../daemon/settings/settings.ts';
import { flagWords, missedFlags } from '../../../daemon/settings/start-flags.ts';
import type { StartFlags } from '../../../daemon/settings/table.ts';
import { withDaemonSettings } from '../../daemon/options.ts';
import { followLines, lastLines } from '../../files/follow-file.ts';
import { type JsonOption, type ProjectOption, wholeNumber, withJson } from '../../options.ts';
import { readableLogLine } from '../../output/log-lines.ts';
import { tellSkew } from '../../output/tell-skew.ts';
import { facts, print, printAside, printJson, styled, when } from '../../output/terminal.ts';
import { untilInterrupted } from '../../process/until-interrupted.ts';
import { PROGRAM } from '../../program-file.ts';
import { findProjectLocation } from '../../target/project.ts';
import { joinRunning } from '../../target/running.ts';

/** Where a foreground daemon logs. */
const ON_TERMINAL = 'to the terminal it runs in';

type StartOptions = ProjectOption & StartFlags;

const withForce = (command: Command): Command =>
  command.option('--force', 'kill it if it does not stop within 10 seconds');

// Created for each place: these four are also top-level commands.
export const startCommand = (): Command =>
  withDaemonSettings(new Command('start'))
    .description("Start the daemon in the background and open this directory's project")
    .action(start);

export const stopCommand = (): Command =>
  withForce(new Command('stop')).description('Stop the daemon').action(stop);

export const restartCommand = (): Command =>
  withForce(withDaemonSettings(new Command('restart')))
    .description('Restart the daemon with the options it was started with')
    .action(restart);

export const logsCommand = (): Command =>
  withJson(new Command('logs'))
    .description("Show the daemon's log")
    .option('-n, --lines <count>', 'number of lines to show', wholeNumber(0), 50)
    .option('-f, --follow', 'keep showing new lines until Ctrl-C')
    .action(logs);

const statusCommand = (): Command =>
  withJson(new Command('status'))
    .description('Show whether the daemon is running (exit code 3 if not)')
    .action(status);

export const command = new Command('daemon')
  .description('Manage the background daemon')
  .addCommand(startCommand())
  .addCommand(stopCommand())
  .addCommand(statusCommand())
  .addCommand(restartCommand())
  .addCommand(logsCommand());

async function start(options: StartOptions): Promise<void> {
  const { loadSettings } = await import('../../../daemon/settings/settings.ts');
  const settings = await loadSettings(process.env, options);
  const location = await findProjectLocation(options);
  const join = async () => {
    const daemon = await findReadyDaemon(settings.dataDirectory);
    const missed = daemon && missedFlags(settings, daemon);
    if (missed) throw missed;
    await joinRunning(location, daemon?.pid);
  };
  if (await findReadyDaemon(settings.dataDirectory)) return await join();
  try {
    await startNew(options, settings);
  } catch (error) {
    // Another process was faster.
    if (!isRelayError(error, 'DaemonRunning')) throw error;
    await join();
  }
}

/** Uses the options it was started with, unless they are given again. */
async function restart(options: StartOptions & { force?: boolean }): Promise<void> {
  const { loadSettings } = await import('../../../daemon/settings/settings.ts');
  const daemon = await findReadyDaemon(dataDirectory());
  const all = { ...daemon?.flags, ...options };
  const { flags, mcp } = await loadSettings(process.env, all);
  if (daemon?.mcpKeyMark && mcp.apiKey === undefined) {
    throw new RelayError(
      'InvalidRequest',
      'The daemon was started with an MCP API key, which is not stored.',
      {
        next: 'Set it again, in RELAY_MCP_API_KEY or with --mcp-api-key.',
      },
    );
  }
  await stop(options);
  const words = flagWords(flags);
  if (daemon && words.length > 0) print(`Restarting with: ${words.join(' ')}`);
  await start(all);
}

async function startNew(options: StartOptions, settings: Settings): Promise<void> {
  const report = await startDetached({
    dataDirectory: settings.dataDirectory,
    program: [
      PROGRAM,
      'up',
      '--detached',
      ...(options.project ? ['--project', options.project] : []),
      ...flagWords(settings.flags),
    ],
    // The daemon runs in another directory, so relative paths are made absolute.
    env: {
      ...process.env,
      ...asEnvironment(settings),
      RELAY_PROJECT_ROOT: process.env.RELAY_PROJECT_ROOT || process.cwd(),
      RELAY_DATA_DIR: settings.dataDirectory,
      RELAY_CONFIG: settings.configDirectory,
    },
  });
  const daemon = await findReadyDaemon(settings.dataDirectory);
  print(`Daemon started (pid ${daemon?.pid}).`);
  print(
    facts([
      ['project', report.project],
      ['socket', report.socketPath],
      ['http', daemon?.http],
      ['mcp', daemon?.mcp],
      ['log', daemon?.logFile],
    ]),
  );
  print('Stop it with: agent-relay daemon stop');
}

async function stop({ force = false }: { force?: boolean }): Promise<void> {
  const stopped = await stopDaemon(dataDirectory(), { force });
  print(stopped ? 'Daemon stopped.' : 'The daemon was not running.');
}

async function status({ json }: JsonOption): Promise<void> {
  const daemon = await findDaemon(dataDirectory());
  if (daemon === undefined) throw new RelayError('DaemonNotRunning', 'The daemon is not running.');
  if (daemon === 'starting') return json ? printJson({ starting: true }) : print('The daemon is starting.');
  if (json) {
    const { mcpKeyMark, ...shown } = daemon;
    return printJson({ starting: false, ...shown, mcpApiKey: mcpKeyMark !== undefined });
  }
  print(`The daemon is ${styled('green', 'running')}.`);
  tellSkew(daemon.version);
  print(
    facts([
      ['pid', String(daemon.pid)],
      ['version', daemon.version],
      ['started', when(daemon.startedAt)],
      ['http', daemon.http],
      ['mcp', daemon.mcp],
      ['log', daemon.logFile ?? ON_TERMINAL],
    ]),
  );
}

type LogsOptions = JsonOption & { lines: number; follow?: boolean };

async function logs(options: LogsOptions): Promise<void> {
  if (options.follow) await untilInterrupted((signal) => showLogs(options, signal));
  else await showLogs(options);
}

async function showLogs({ lines, json }: LogsOptions, follow?: AbortSignal): Promise<void> {
  const file = logFile(dataDirectory());
  const daemon = await findDaemon(dataDirectory());
  if (daemon && daemon !== 'starting' && daemon.logFile === undefined)
    printAside(`note: The running daemon logs ${ON_TERMINAL}. This is the log of earlier ones.`);
  const show = (line: string) => print(json ? safeJson(line) : readableLogLine(line));
  if (follow) {
    if (!existsSync(dirname(file))) throw new RelayError('DaemonNotRunning', 'There is no log yet.');
    return await followLines(file, lines, show, follow);
  }
  const last = await lastLines(file, lines);
  last.forEach(show);
  if (json || daemon !== undefined) return;
  const crash = await lastLines(outputFile(dataDirectory()), lines);
  if (crash.length > 0) print(['The last daemon exited without a log entry:', ...crash].join('\n'));
}
