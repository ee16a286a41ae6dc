import { isRelayError, RelayError } from '@agent-relay/protocol';
import { Command, Option } from 'commander';
import { findReadyDaemon, type StartReport } from '../../daemon/control.ts';
import { takeLock } from '../../daemon/lock.ts';
import { type FileLog, logFile, openFileLog, openTerminalLog } from '../../daemon/log.ts';
import { type RunningDaemon, runDaemon } from '../../daemon/run.ts';
import { loadSettings, type Settings, type SettingsFlags } from '../../daemon/settings.ts';
import { VERSION } from '../../version.ts';
import { readableLogLine } from '../log-lines.ts';
import { type ProjectOption, withDaemonSettings } from '../options.ts';
import { findPlace, type OpenedProject, openPlace, type Place } from '../project.ts';
import { joinRunning } from '../running.ts';
import { facts, print, styled } from '../terminal.ts';

type Options = ProjectOption & SettingsFlags & { detached?: boolean };

export const command = withDaemonSettings(new Command('up'))
  .description('Run the daemon in this terminal and open the project of this directory.')
  .addOption(new Option('--detached').hideHelp())
  .action(async (options: Options) => {
    const run = options.detached ? runDetached : runInTerminal;
    await run(await loadSettings(process.env, options), await findPlace(options));
  });

async function runInTerminal(settings: Settings, place: Place): Promise<void> {
  const log = openTerminalLog(settings, (line) => process.stderr.write(`${readableLogLine(line)}\n`));
  try {
    await serve(settings, place, log, (daemon, opened) => {
      print(`${styled('bold', 'Agent Relay')} ${VERSION} is up.`);
      print(
        facts([
          ['project', opened.project],
          ['socket', opened.socketPath],
          ['http', daemon.http && `http://${daemon.http.host}:${daemon.http.port}`],
        ]),
      );
      print('Stop it with Ctrl-C.');
    });
  } catch (error) {
    if (!isRelayError(error, 'DaemonRunning')) throw error;
    await joinRunning(place, (await findReadyDaemon(settings.dataDirectory))?.pid);
  }
}

/** The process that `daemon start` leaves behind; it answers whoever started it by a message. */
async function runDetached(settings: Settings, place: Place): Promise<void> {
  const file: FileLog = openFileLog(settings);
  const report = (message: StartReport) => process.send?.(message);
  try {
    await serve(
      settings,
      place,
      file.log,
      (_daemon, opened) => {
        report({ ready: true, ...opened });
        process.disconnect?.();
      },
      logFile(settings.dataDirectory),
    );
  } catch (error) {
    file.log.fatal({ err: error }, 'the daemon ended');
    const failure = isRelayError(error) ? error : new RelayError('Internal', String(error), { cause: error });
    if (process.connected) report({ ready: false, error: failure.toPayload() });
    throw error;
  } finally {
    await file.close();
  }
}

/** Runs the daemon of this data directory until it is told to stop. */
async function serve(
  settings: Settings,
  place: Place,
  log: FileLog['log'],
  onReady: (daemon: RunningDaemon, opened: OpenedProject) => void,
  logPath?: string,
): Promise<void> {
  const lock = await takeLock(settings.dataDirectory);
  const startedAt = Date.now();
  let daemon: RunningDaemon | undefined;
  try {
    daemon = await runDaemon({ settings, log });
    const opened = await openPlace(place, daemon.openProject);
    await lock.publish({
      pid: process.pid,
      version: VERSION,
      startedAt,
      ...(daemon.http ? { http: daemon.http } : {}),
      ...(logPath === undefined ? {} : { logFile: logPath }),
    });
    const stopped = stopSignal();
    onReady(daemon, opened);
    const ended = await Promise.race([stopped, daemon.failed]);
    if (ended instanceof Error) throw ended;
    log.info({ signal: ended }, 'stopping');
  } finally {
    await daemon?.stop();
    await lock.release();
  }
}

/** A wrapper (npx, a shell) may pass on a Ctrl-C that the terminal has sent already: that is still one. */
const SAME_SIGNAL_MS = 100;

/** Resolves at the first signal to stop; the next one ends the process on the spot. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((stop) => {
    let first: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      if (first === undefined) {
        first = Date.now();
        stop(signal);
      } else if (Date.now() - first > SAME_SIGNAL_MS) {
        process.exit(130);
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}
