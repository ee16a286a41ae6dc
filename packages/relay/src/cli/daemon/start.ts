import { isRelayError, RelayError } from '@agent-relay/protocol';
import type { Environment } from '@agent-relay/sdk/node';
import { findReadyDaemon, startDetached } from '../../daemon/control.ts';
import type { Settings } from '../../daemon/settings/settings.ts';
import { flagWords, missedFlags } from '../../daemon/settings/start-flags.ts';
import type { StartFlags } from '../../daemon/settings/table.ts';
import type { ProjectOption } from '../options.ts';
import { facts, print, printAside } from '../output/terminal.ts';
import { PROGRAM } from '../program-file.ts';
import { findProjectLocation } from '../target/project.ts';
import { joinRunning } from '../target/running.ts';

export type StartOptions = ProjectOption & StartFlags;

/** Starts the daemon in the background, or opens this directory's project in the one that runs. */
export async function start(options: StartOptions, env: Environment = process.env): Promise<void> {
  const { loadSettings } = await import('../../daemon/settings/settings.ts');
  const settings = await loadSettings(env, options);
  tellNoStdio(settings);
  const location = await findProjectLocation(options, env);
  const join = async () => {
    const daemon = await findReadyDaemon(settings.dataDirectory);
    const missed = daemon && missedFlags(settings, daemon);
    if (missed) throw missed;
    await joinRunning(location, daemon?.pid);
  };
  if (await findReadyDaemon(settings.dataDirectory)) return await join();
  try {
    await startNew(options, settings, env);
  } catch (error) {
    // Another process was faster.
    if (!isRelayError(error, 'DaemonRunning')) throw error;
    await join();
  }
}

/** A daemon in the background has no client on its standard input. */
function tellNoStdio({ mcp }: Settings): void {
  if (!mcp.stdio) return;
  printAside(
    'note: RELAY_MCP_ENABLED (mcp.stdio) has no effect on a daemon in the background: MCP clients start agent-relay mcp, or use --mcp-http.',
  );
}

async function startNew(options: StartOptions, settings: Settings, env: Environment): Promise<void> {
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
      ...env,
      ...settings.variables,
      RELAY_PROJECT_ROOT: env.RELAY_PROJECT_ROOT || process.cwd(),
      RELAY_DATA_DIR: settings.dataDirectory,
      RELAY_CONFIG: settings.configDirectory,
    },
  });
  const daemon = await findReadyDaemon(settings.dataDirectory);
  if (daemon === undefined)
    throw new RelayError('DaemonNotRunning', 'The daemon ended right after its start.');
  print(`Daemon started (pid ${daemon.pid}).`);
  print(
    facts([
      ['project', report.project],
      ['socket', report.socketPath],
      ['http', daemon.http],
      ['mcp', daemon.mcp],
      ['log', daemon.logFile],
    ]),
  );
  print('Stop it with: agent-relay daemon stop');
}
