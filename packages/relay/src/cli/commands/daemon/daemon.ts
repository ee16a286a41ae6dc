import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { RelayError, safeJson } from '@agent-relay/protocol';
import { dataDirectory } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { findReadyDaemon, stopDaemon } from '../../../daemon/control.ts';
import { type DaemonRecord, findDaemon } from '../../../daemon/lock.ts';
import { logFile, outputFile } from '../../../daemon/log/log-files.ts';
import { flagWords } from '../../../daemon/settings/start-flags.ts';
import { withDaemonSettings } from '../../daemon/options.ts';
import { restart } from '../../daemon/restart.ts';
import { type StartOptions, start } from '../../daemon/start.ts';
import { followLines, lastLines } from '../../files/follow-file.ts';
import { type JsonOption, wholeNumber, withJson } from '../../options.ts';
import { readableLogLine } from '../../output/log-lines.ts';
import { tellSkew } from '../../output/tell-skew.ts';
import { facts, print, printAside, printJson, styled, when } from '../../output/terminal.ts';
import { untilInterrupted } from '../../process/until-interrupted.ts';

/** Where a foreground daemon logs. */
const ON_TERMINAL = 'to the terminal it runs in';

const withForce = (command: Command): Command =>
  command.option('--force', 'kill it if it does not stop within 10 seconds');

// Created for each place: these four are also top-level commands.
export const startCommand = (): Command =>
  withDaemonSettings(new Command('start'))
    .description("Start the daemon in the background and open this directory's project")
    .action((options: StartOptions) => start(options));

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

async function stop({ force = false }: { force?: boolean }): Promise<void> {
  const daemon = await findReadyDaemon(dataDirectory());
  const stopped = await stopDaemon(dataDirectory(), { force });
  print(stopped ? 'Daemon stopped.' : 'The daemon was not running.');
  if (stopped && daemon) tellStart(daemon);
}

/** A new start does not know the options of the old one, or the variables of the terminal it was started in. */
function tellStart({ flags, variables = [] }: DaemonRecord): void {
  const words = flagWords(flags);
  const missing = variables.filter((name) => !process.env[name]);
  if (words.length === 0 && missing.length === 0) return;
  const where = missing.length === 0 ? '' : `, with ${missing.join(', ')} set`;
  print(`Start it the same way with: ${['agent-relay daemon start', ...words].join(' ')}${where}`);
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
