import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ensurePrivateDirectory, readIfThere } from '@agent-relay/platform';
import { type ErrorPayload, RelayError } from '@agent-relay/protocol';
import { type DaemonRecord, findDaemon, isLocked } from './lock.ts';
import { logDirectory, outputFile } from './log/log-files.ts';

/** What a background daemon reports, once, to the command that started it. */
export type StartReport =
  | { ready: true; project: string; socketPath: string }
  | { ready: false; error: ErrorPayload };

const START_DEADLINE_MS = 30_000;
const STOP_DEADLINE_MS = 10_000;
const POLL_MS = 20;

/** Starts a daemon that outlives this process and resolves when it is ready, or rejects with its own error. */
export async function startDetached(options: {
  dataDirectory: string;
  /** The file and arguments that run the daemon; it reports with `process.send`. */
  program: string[];
  env: NodeJS.ProcessEnv;
}): Promise<Extract<StartReport, { ready: true }>> {
  await ensurePrivateDirectory(options.dataDirectory);
  await ensurePrivateDirectory(logDirectory(options.dataDirectory));
  const output = openSync(outputFile(options.dataDirectory), 'w', 0o600);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...options.program], {
    // A daemon must not keep a directory in use.
    cwd: '/',
    env: options.env,
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  const deadline = AbortSignal.timeout(START_DEADLINE_MS);
  try {
    const report = await Promise.race([
      once(child, 'message', { signal: deadline }).then(([message]) => message as StartReport),
      // Not its exit, which may be reported before its last message.
      once(child, 'disconnect', { signal: deadline }).then(() => undefined),
    ]);
    if (report === undefined) throw await diedEarly(options.dataDirectory);
    if (!report.ready) throw RelayError.fromPayload(report.error);
    return report;
  } catch (cause) {
    if (!deadline.aborted) throw cause;
    child.kill('SIGKILL');
    throw new RelayError('Timeout', `The daemon did not start within ${START_DEADLINE_MS / 1000} seconds.`, {
      next: 'See the reason in: agent-relay daemon logs',
      cause,
    });
  } finally {
    child.removeAllListeners();
    if (child.connected) child.disconnect();
    child.unref();
  }
}

async function diedEarly(dataDirectory: string): Promise<RelayError> {
  const said = (await readIfThere(outputFile(dataDirectory)))?.split('\n').slice(-5).join('\n');
  return new RelayError('Internal', `The daemon exited during start. ${said || 'It printed nothing.'}`);
}

/** The running daemon once it is ready; undefined if none runs. */
export async function findReadyDaemon(dataDirectory: string): Promise<DaemonRecord | undefined> {
  const deadline = performance.now() + START_DEADLINE_MS;
  for (;;) {
    const found = await findDaemon(dataDirectory);
    if (found !== 'starting') return found;
    if (performance.now() > deadline)
      throw new RelayError('Timeout', 'A daemon is starting but does not become ready.');
    await delay(POLL_MS);
  }
}

/**
 * Asks the daemon to stop and resolves when it has stopped: true, or false if none was running. A daemon that does not
 * stop in time is killed with `force`.
 */
export async function stopDaemon(dataDirectory: string, { force }: { force: boolean }): Promise<boolean> {
  const daemon = await findReadyDaemon(dataDirectory);
  if (daemon === undefined) return false;
  signal(daemon.pid, 'SIGTERM');
  if (await isGone(dataDirectory)) return true;
  if (!force) {
    throw new RelayError('Timeout', `The daemon (pid ${daemon.pid}) is still stopping.`, {
      next: 'See why with: agent-relay daemon logs; kill it with: agent-relay daemon stop --force',
    });
  }
  signal(daemon.pid, 'SIGKILL');
  if (await isGone(dataDirectory)) return true;
  throw new RelayError('Timeout', `Cannot kill the daemon (pid ${daemon.pid}).`, {
    next: 'It is probably waiting for a disk; check the state of the process.',
  });
}

/** Whether the lock was released in time: the process has ended, or is about to. */
async function isGone(dataDirectory: string): Promise<boolean> {
  const deadline = performance.now() + STOP_DEADLINE_MS;
  while (isLocked(dataDirectory)) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It ended between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
