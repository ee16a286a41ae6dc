import { isRelayError, RelayError } from '@agent-relay/protocol';
import { Command, Option } from 'commander';
import { findReadyDaemon, type StartReport } from '../../daemon/control.ts';
import { takeLock } from '../../daemon/lock.ts';
import type { Logger } from '../../daemon/log.ts';
import { logFile } from '../../daemon/log-files.ts';
import type { RunningDaemon } from '../../daemon/run.ts';
import type { Settings, SettingsFlags } from '../../daemon/settings.ts';
import { VERSION } from '../../version.ts';
import { readableLogLine } from '../log-lines.ts';
import { type ProjectOption, withDaemonSettings } from '../options.ts';
import { findPlace, type OpenedProject, openPlace, type Place } from '../project.ts';
import { joinRunning } from '../running.ts';
import { facts, print, styled } from '../terminal.ts';

// What only a running daemon needs is imported where it runs: asking for help must not load a database.
type Options = ProjectOption & SettingsFlags & { detached?: boolean };

export const command = withDaemonSettings(new Command('up'))
  .description('Run the daemon in this terminal and open the project of this directory.')
  .addOption(new Option('--detached').hideHelp())
  .action(async (options: Options) => {
    const { loadSettings } = await import('../../daemon/settings.ts');
    const run = options.detached ? runDetached : runInTerminal;
    await run(await loadSettings(process.env, options), await findPlace(options));
  });

async function runInTerminal(settings: Settings, place: Place): Promise<void> {
  const { openTerminalLog } = await import('../../daemon/log.ts');
  const log = openTerminalLog(settings, (line) =>
    process.stderr.write(`${readableLogLine(line, process.stderr)}\n`),
  );
  const onReady = ({ http }: RunningDaemon, { project, socketPath }: OpenedProject) => {
    print(`${styled('bold', 'Agent Relay')} ${VERSION} is up.`);
    print(
      facts([
        ['project', project],
        ['socket', socketPath],
        ['http', http && `http://${http.host}:${http.port}`],
      ]),
    );
    print('Stop it with Ctrl-C.');
  };
  try {
    await serve({ settings, place, log, onReady });
  } catch (error) {
    if (!isRelayError(error, 'DaemonRunning')) throw error;
    await joinRunning(place, (await findReadyDaemon(settings.dataDirectory))?.pid);
  }
}

/** The process that `daemon start` leaves behind; it answers whoever started it by one message. */
async function runDetached(settings: Settings, place: Place): Promise<void> {
  const { openFileLog } = await import('../../daemon/log.ts');
  const { log, close } = openFileLog(settings);
  const onReady = (_daemon: RunningDaemon, opened: OpenedProject) => report({ ready: true, ...opened });
  try {
    await serve({ settings, place, log, logFile: logFile(settings.dataDirectory), onReady });
  } catch (error) {
    // The log is then that of the daemon that runs.
    if (!isRelayError(error, 'DaemonRunning')) log.fatal({ err: error }, 'the daemon ended');
    const failure = isRelayError(error) ? error : new RelayError('Internal', String(error), { cause: error });
    await report({ ready: false, error: failure.toPayload() });
    throw error;
  } finally {
    await close();
  }
}

/** Tells the starter how the start went, if it still listens; it hears nothing after that. */
async function report(message: StartReport): Promise<void> {
  if (!process.connected) return;
  await new Promise((sent) => process.send?.(message, undefined, undefined, sent));
  process.disconnect();
}

/** Runs the daemon of this data directory until it is told to stop. */
async function serve(options: {
  settings: Settings;
  place: Place;
  log: Logger;
  logFile?: string;
  onReady(daemon: RunningDaemon, opened: OpenedProject): void | Promise<void>;
}): Promise<void> {
  const { settings, log, logFile } = options;
  const lock = await takeLock(settings.dataDirectory);
  let daemon: RunningDaemon | undefined;
  try {
    const startedAt = Date.now();
    const { runDaemon } = await import('../../daemon/run.ts');
    daemon = await runDaemon({ settings, log });
    const opened = await openPlace(options.place, daemon.openProject);
    const { http } = daemon;
    await lock.publish({
      pid: process.pid,
      version: VERSION,
      startedAt,
      ...(http ? { http } : {}),
      ...(logFile ? { logFile } : {}),
    });
    const stopped = stopSignal();
    await options.onReady(daemon, opened);
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
