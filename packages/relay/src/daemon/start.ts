import { flushCompileCache } from 'node:module';
import { hostname } from 'node:os';
import { openStore } from '../store/open.ts';
import { VERSION } from '../version.ts';
import { keepHeapSmall } from './heap.ts';
import { keyMark } from './key-mark.ts';
import { takeLock } from './lock.ts';
import type { Logger } from './log/log.ts';
import type { RunningDaemon } from './run.ts';
import type { PortOptions, StartedFor } from './run-options.ts';
import type { Settings } from './settings/settings.ts';
import { firstUncaught } from './uncaught.ts';

/** The daemon of a data directory, run by this process. */
export interface StartedDaemon<Opened> extends Pick<RunningDaemon, 'http' | 'stop'> {
  /** Resolves when the daemon can no longer be trusted: the process must exit. */
  failed: Promise<Error>;
  /** Where MCP is served over HTTP, if it is. */
  mcp: string | undefined;
  /** The project it was started for. */
  opened: Opened;
}

/**
 * Makes this process the daemon of its data directory, or throws `DaemonRunning`. `open` opens the project it is started
 * for; after that clients can find the daemon.
 */
export async function startDaemon<Opened extends { project: string }>(options: {
  settings: Settings;
  log: Logger;
  logFile?: string;
  /** The file of the command line. */
  program: string;
  portOptions?: PortOptions;
  startedFor: StartedFor;
  open(openProject: RunningDaemon['openProject']): Promise<Opened>;
}): Promise<StartedDaemon<Opened>> {
  const { settings, log, logFile, program, portOptions, startedFor, open } = options;
  const lock = await takeLock(settings.dataDirectory);
  const parts = new AsyncDisposableStack();
  parts.defer(() => lock.release());
  try {
    const uncaught = firstUncaught(log);
    const startedAt = Date.now();
    const fatal = Promise.withResolvers<Error>();
    // The threads of the database start while the rest of the daemon loads.
    const [store, { runDaemon }] = await Promise.all([
      openStore(settings.database, {
        daemon: `${hostname()}, process ${process.pid}`,
        onFatal: fatal.resolve,
      }),
      import('./run.ts'),
    ]);
    const daemon = await runDaemon({ settings, startedFor, store, log, program, portOptions });
    parts.defer(() => daemon.stop());
    const opened = await open(daemon.openProject);
    const mcp = await daemon.openMcp(opened.project);
    const { http } = daemon;
    const { apiKey } = settings.mcp;
    const failed = Promise.race([fatal.promise, uncaught]);
    await lock.publish({
      pid: process.pid,
      version: VERSION,
      startedAt,
      ...(http ? { http } : {}),
      ...(mcp ? { mcp } : {}),
      ...(logFile ? { logFile } : {}),
      flags: settings.flags,
      variables: Object.keys(settings.variables),
      ...(apiKey === undefined ? {} : { mcpKeyMark: keyMark(apiKey) }),
    });
    daemon.ready();
    // Last: V8 does not reuse code compiled under other flags, so the rest would be compiled again.
    keepHeapSmall();
    // A killed daemon writes nothing when it ends.
    setImmediate(flushCompileCache);
    return { http, mcp, opened, failed, stop: () => parts.disposeAsync() };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}
