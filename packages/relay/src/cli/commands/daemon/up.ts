import { resolve } from 'node:path';
import { isRelayError, RelayError } from '@agent-relay/protocol';
import { Command, Option } from 'commander';
import { findReadyDaemon, type StartReport } from '../../../daemon/control.ts';
import type { Logger } from '../../../daemon/log/log.ts';
import { logFile } from '../../../daemon/log/log-files.ts';
import type { StartedFor } from '../../../daemon/run-options.ts';
import type { Settings } from '../../../daemon/settings/settings.ts';
import { missedFlags } from '../../../daemon/settings/start-flags.ts';
import type { StartFlags } from '../../../daemon/settings/table.ts';
import type { StartedDaemon } from '../../../daemon/start.ts';
import { VERSION } from '../../../version.ts';
import { withDaemonSettings } from '../../daemon/options.ts';
import { type ProjectOption, refuseIdleOptions, type ToolsOption, withTools } from '../../options.ts';
import { readableLogLine } from '../../output/log-lines.ts';
import { facts, print, printAside, styled } from '../../output/terminal.ts';
import { stopSignal } from '../../process/stop-signal.ts';
import { PROGRAM } from '../../program-file.ts';
import {
  findProjectLocation,
  type OpenedProject,
  openProjectAt,
  type ProjectLocation,
} from '../../target/project.ts';
import { joinRunning } from '../../target/running.ts';

// Imported lazily: showing help must not load a database.
type Options = ProjectOption & StartFlags & ToolsOption & { detached?: boolean };

export const command = withTools(withDaemonSettings(new Command('up')))
  .description("Run the daemon in this terminal and open this directory's project")
  .addOption(new Option('--detached').hideHelp())
  .action(async (options: Options, self: Command) => {
    const { loadSettings } = await import('../../../daemon/settings/settings.ts');
    const settings = await loadSettings(process.env, options);
    if (!settings.mcp.stdio) {
      const next = 'Add --mcp. MCP clients over HTTP choose toolsets with ?tools= in the URL.';
      refuseIdleOptions(self, ['tools'], { without: '--mcp', next });
    }
    const location = await findProjectLocation(options);
    const start = { settings, location, startedFor: startedFor(options) };
    if (options.detached) await runDetached(start);
    else if (settings.mcp.stdio) await runForMcpClient(start, options.tools);
    else await runInTerminal(start);
  });

interface Start {
  settings: Settings;
  location: ProjectLocation;
  startedFor: StartedFor;
}

const startedFor = ({ project }: ProjectOption): StartedFor => ({
  directory: resolve(process.env.RELAY_PROJECT_ROOT || '.'),
  ...(project === undefined ? {} : { project }),
});

async function runInTerminal(start: Start): Promise<void> {
  const { settings, location } = start;
  const log = await terminalLog(settings);
  try {
    await serve({ ...start, log, onReady: (daemon) => introduce(daemon, print) });
  } catch (error) {
    if (!isRelayError(error, 'DaemonRunning')) throw error;
    const daemon = await findReadyDaemon(settings.dataDirectory);
    const missed = daemon && missedFlags(settings, daemon);
    if (missed) throw missed;
    await joinRunning(location, daemon?.pid);
  }
}

/** Standard output belongs to the protocol. The daemon ends with its client; one that was already running stays. */
async function runForMcpClient(start: Start, tools: string | undefined): Promise<void> {
  const { settings, location } = start;
  const log = await terminalLog(settings);
  const { serveStdio } = await import('@agent-relay/mcp');
  const talk = (opened: OpenedProject) =>
    serveStdio({ defaultTools: ['network'], env: participantEnvironment(opened, settings, tools) });
  try {
    await serve({
      ...start,
      log,
      onReady: (daemon) => introduce(daemon, printAside),
      until: ({ opened }) => talk(opened),
    });
  } catch (error) {
    if (!isRelayError(error, 'DaemonRunning')) throw error;
    const daemon = await findReadyDaemon(settings.dataDirectory);
    const missed = daemon && missedFlags(settings, daemon);
    // The client is still served.
    if (missed) printAside(`${missed.message} ${missed.next}`);
    await talk(await joinRunning(location, daemon?.pid, printAside));
  } finally {
    // A signal may have stopped the daemon while the client is still connected.
    process.stdin.destroy();
  }
}

/** Use this daemon and ignore the environment. */
const participantEnvironment = (
  { project, socketPath }: OpenedProject,
  { dataDirectory }: Settings,
  tools: string | undefined,
): NodeJS.ProcessEnv => ({
  ...process.env,
  RELAY_SOCKET: socketPath,
  RELAY_PROJECT: project,
  RELAY_DATA_DIR: dataDirectory,
  RELAY_URL: undefined,
  RELAY_WORKSPACE_KEY: undefined,
  ...(tools === undefined ? {} : { RELAY_TOOLS: tools }),
});

async function terminalLog(settings: Settings): Promise<Logger> {
  const { openTerminalLog } = await import('../../../daemon/log/log.ts');
  return openTerminalLog(settings, (line) => printAside(readableLogLine(line, process.stderr)));
}

function introduce({ http, mcp, opened }: StartedDaemon<OpenedProject>, say: (text: string) => void): void {
  say(`${styled('bold', 'Agent Relay')} ${VERSION} is up.`);
  say(
    facts([
      ['project', opened.project],
      ['socket', opened.socketPath],
      ['http', http],
      ['mcp', mcp],
    ]),
  );
  say('Stop it with Ctrl-C.');
}

/** The background process of `daemon start`; it reports to its parent with one message. */
async function runDetached(start: Start): Promise<void> {
  const { settings } = start;
  const { openFileLog } = await import('../../../daemon/log/log.ts');
  const { log, close } = await openFileLog(settings);
  const onReady = ({ opened }: StartedDaemon<OpenedProject>) => report({ ready: true, ...opened });
  try {
    await serve({ ...start, log, logFile: logFile(settings.dataDirectory), onReady });
  } catch (error) {
    // Otherwise the log belongs to the running daemon.
    if (!isRelayError(error, 'DaemonRunning')) log.fatal({ err: error }, 'the daemon ended');
    const failure = isRelayError(error) ? error : new RelayError('Internal', String(error), { cause: error });
    await report({ ready: false, error: failure.toPayload() });
    throw error;
  } finally {
    await close();
  }
}

/** Reports the outcome of the start to the parent, if it still listens. */
async function report(message: StartReport): Promise<void> {
  if (!process.connected) return;
  await new Promise((sent) => process.send?.(message, undefined, undefined, sent));
  process.disconnect();
}

/** Runs the daemon of this data directory until it is stopped, or `until` resolves. */
async function serve(
  options: Start & {
    log: Logger;
    logFile?: string;
    onReady(daemon: StartedDaemon<OpenedProject>): void | Promise<void>;
    until?(daemon: StartedDaemon<OpenedProject>): Promise<void>;
  },
): Promise<void> {
  const { log, location, onReady, until } = options;
  const { startDaemon } = await import('../../../daemon/start.ts');
  const daemon = await startDaemon({
    ...options,
    program: PROGRAM,
    open: (openProject) => openProjectAt(location, openProject),
  });
  try {
    const stopped = stopSignal();
    await onReady(daemon);
    const over = until ? [until(daemon).then(() => 'the client disconnected')] : [];
    const ended = await Promise.race([stopped, daemon.failed, ...over]);
    if (ended instanceof Error) throw ended;
    log.info({ reason: ended }, 'stopping');
  } finally {
    await daemon.stop();
  }
}
