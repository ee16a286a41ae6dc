import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, statSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensurePrivateDirectory } from '@agent-relay/platform';
import {
  findCommand,
  isAlive,
  isDescendant,
  processMark,
  signalProcess,
  signalSession,
} from '@agent-relay/platform/processes';
import { type ErrorPayload, isRelayError, type ProcessRef, RelayError } from '@agent-relay/protocol';
import type { AgentProgram, HostComplaint, Processes } from '../../core/ports/processes.ts';
import { hostLogFile, logDirectory } from '../log/log-files.ts';
import { agentEnvironment, hostEnvironment } from './environment.ts';

interface Options {
  dataDirectory: string;
  /** The file of the command line, which also runs hosts. */
  program: string;
  /** Whether commands in the text of the agents count. */
  patterns: boolean;
}

/** What a host that cannot start reports to the daemon, once. */
export interface HostFailure {
  error: ErrorPayload;
}

/** How long a host gives its program before it kills it. */
const HOST_MS = 8000;
const POLL_MS = 20;
const MOST_LOG_BYTES = 1024 * 1024;
/** A killed process ends right away, unless the system is overloaded. */
const KILL_MS = 5000;

/** The hosts of spawned agents, as processes that outlive the daemon. */
export class HostProcesses implements Processes {
  readonly #options: Options;
  onHostEnded: Processes['onHostEnded'] = () => undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  async locate({ command, cwd, root, env }: Parameters<Processes['locate']>[0]) {
    const place = await directoryAt(cwd ?? root, root);
    const file = await findCommand(command, env ?? process.env, place).catch((error) => {
      throw isRelayError(error, 'CommandNotFound') ? notFound(command, error, env === undefined) : error;
    });
    const inside = root === undefined ? undefined : relative(await realpath(root), place);
    return { file, cwd: place, isInside: inside !== undefined && !/^\.\.(\/|$)/.test(inside) };
  }

  async start(wanted: AgentProgram, record: Parameters<Processes['start']>[1]): Promise<void> {
    const { dataDirectory, program, patterns } = this.#options;
    const { token, env: given, ...spec } = wanted;
    const env = agentEnvironment(given ?? process.env, { ...wanted, dataDirectory });
    await ensurePrivateDirectory(logDirectory(dataDirectory));
    const log = openLog(hostLogFile(dataDirectory));
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, 'host'], {
      cwd: '/',
      env: hostEnvironment(process.env),
      detached: true,
      stdio: ['pipe', log, log, 'ipc'],
    });
    closeSync(log);
    this.#watch(child, wanted.run);
    const { pid } = child;
    if (pid === undefined) {
      const [cause]: Error[] = await once(child, 'error');
      throw new RelayError('SpawnFailed', `The agent's host could not be started: ${cause?.message}.`, {
        cause,
      });
    }
    const mark = processMark(pid);
    if (mark === undefined) throw new RelayError('SpawnFailed', "The agent's host ended at once.");
    try {
      await record({ pid, mark });
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
    // Never as an argument: it contains the token. The host waits for it, and ends if its input ends without it.
    child.stdin?.end(JSON.stringify({ ...spec, token, env, patterns }));
  }

  isAlive(process: ProcessRef): boolean {
    return isAlive(process);
  }

  isBelow(process: ProcessRef, host: ProcessRef): boolean {
    return isDescendant(process, host);
  }

  async isGone(process: ProcessRef, withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    while (isAlive(process)) {
      if (performance.now() >= deadline) return false;
      await delay(POLL_MS);
    }
    return true;
  }

  async end({ host, program }: Parameters<Processes['end']>[0], patienceMs: number): Promise<void> {
    const both = [host, ...(program ? [program] : [])];
    const areGone = async (withinMs: number) =>
      (await Promise.all(both.map((one) => this.isGone(one, withinMs)))).every(Boolean);
    if (await areGone(patienceMs)) return;
    if (signalProcess(host, 'SIGTERM')) await this.isGone(host, HOST_MS);
    signalProcess(host, 'SIGKILL');
    if (program && isAlive(program)) {
      signalSession(program.pid, 'SIGKILL');
      signalProcess(program, 'SIGKILL');
    }
    if (!(await areGone(KILL_MS)))
      throw new RelayError('Internal', `The process ${host.pid} cannot be ended.`);
  }

  #watch(child: ChildProcess, run: string): void {
    let complaint: HostComplaint | undefined;
    child.once('message', ({ error }: HostFailure) => {
      complaint = error;
    });
    child.once('exit', () => this.onHostEnded(run, complaint));
    child.on('error', (error) => {
      complaint = error;
    });
    // A host that ends before it has read all of it reports why.
    child.stdin?.on('error', () => undefined);
    child.unref();
    child.channel?.unref();
  }
}

/** SPAWN accepts no path, only a word that is looked up in PATH or the settings. */
function notFound(command: string, cause: RelayError, isDaemons: boolean): RelayError {
  const next = command.includes('/')
    ? 'Correct its path in "clis" in settings.json, and restart the daemon.'
    : isDaemons
      ? 'Install it, or add its directory to PATH where you start the daemon, and restart the daemon.'
      : 'Install it, or add its directory to PATH.';
  return new RelayError('CommandNotFound', cause.message, { next, cause });
}

/** Hosts write to it only when something goes wrong; it is truncated when it gets long. */
function openLog(file: string): number {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  return openSync(file, size > MOST_LOG_BYTES ? 'w' : 'a', 0o600);
}

async function directoryAt(wanted: string | undefined, root: string | undefined): Promise<string> {
  if (wanted === undefined) {
    throw new RelayError('InvalidRequest', 'The project has no directory.', {
      details: { field: 'cwd' },
      next: 'Set cwd to the directory to run the agent in.',
    });
  }
  const path = resolve(root ?? '/', wanted);
  try {
    if ((await stat(path)).isDirectory()) return await realpath(path);
  } catch {
    // Reported below: it does not exist, or is not accessible.
  }
  throw new RelayError('InvalidRequest', `cwd: there is no directory ${path}.`, {
    details: { field: 'cwd' },
    next: 'Choose a directory that exists.',
  });
}
