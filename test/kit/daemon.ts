import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findDaemon, isLocked } from '../../packages/relay/src/daemon/lock.ts';
import {
  type CliOptions,
  type CliResult,
  cli,
  killAtExit,
  PROGRAM,
  type RunningCli,
  startCli,
} from './cli.ts';

/** Settings for heavy load: no rate limit and no loop governor. */
export const UNGOVERNED = {
  rateLimit: { perSecond: 0 },
  governor: { enabled: false },
  limits: { refusalsPerSecond: 1_000_000 },
};

/** An isolated sandbox for a test: its own directories and environment. */
export interface Sandbox extends AsyncDisposable {
  directory: string;
  dataDirectory: string;
  configDirectory: string;
  /** A directory for a project; commands run here. */
  projectDirectory: string;
  env: NodeJS.ProcessEnv;
  writeSettings(settings: unknown): Promise<void>;
  cli(args: string[], options?: Partial<CliOptions>): Promise<CliResult>;
  startCli(args: string[], options?: Partial<CliOptions>): RunningCli;
}

/** A real daemon process in a sandbox. */
export interface TestDaemon extends Sandbox {
  readonly pid: number;
  readonly project: string;
  readonly socketPath: string;
  /** Where it serves WebSocket and HTTP: `host:port`. */
  readonly http: string;
  /** Resolves with its exit code when it has ended. */
  readonly exited: Promise<number | null>;
  /** Asks it to stop and resolves with its exit code. */
  stop(): Promise<number | null>;
  kill9(): Promise<void>;
  /** Starts it again on the same data; resolves when it is ready. */
  start(): Promise<void>;
}

export interface DaemonOptions {
  settings?: unknown;
  env?: NodeJS.ProcessEnv;
  /** The name of the project directory, and so of the project. */
  projectName?: string;
  /** A data directory elsewhere, such as on a separate disk. */
  dataDirectory?: string;
}

export async function createSandbox({
  settings,
  env,
  projectName = 'demo',
  dataDirectory,
}: DaemonOptions = {}): Promise<Sandbox> {
  // Short, because the path of a socket has a limit.
  const directory = mkdtempSync(join(tmpdir(), 'relay-'));
  const places = {
    directory,
    dataDirectory: dataDirectory ?? join(directory, 'data'),
    configDirectory: join(directory, 'config'),
    projectDirectory: join(directory, projectName),
  };
  const isolated: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: directory,
    TMPDIR: directory,
    XDG_CACHE_HOME: join(tmpdir(), 'relay-test-caches'),
    RELAY_DATA_DIR: places.dataDirectory,
    RELAY_CONFIG: places.configDirectory,
    RELAY_HTTP_PORT: '0',
    ...env,
  };
  const writeSettings = async (value: unknown) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    await writeFile(join(places.configDirectory, 'settings.json'), text);
  };
  await mkdir(places.configDirectory);
  await mkdir(places.projectDirectory);
  if (settings !== undefined) await writeSettings(settings);
  const withDefaults = (options: Partial<CliOptions> = {}): CliOptions => ({
    cwd: places.projectDirectory,
    ...options,
    env: { ...isolated, ...options.env },
  });
  return {
    ...places,
    env: isolated,
    writeSettings,
    cli: (args, options) => cli(args, withDefaults(options)),
    startCli: (args, options) => startCli(args, withDefaults(options)),
    async [Symbol.asyncDispose]() {
      // A daemon that `daemon start` left behind.
      const left = isLocked(places.dataDirectory) ? await findDaemon(places.dataDirectory) : undefined;
      if (left !== undefined && left !== 'starting') process.kill(left.pid, 'SIGKILL');
      endAgentsOf(places.dataDirectory);
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Agents outlive their daemon; those of a test are known by its data directory. Their hosts end with them. */
function endAgentsOf(dataDirectory: string): void {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const variables = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      const isAgent = variables.some((variable) => variable.startsWith('RELAY_AGENT_TOKEN='));
      if (isAgent && variables.includes(`RELAY_DATA_DIR=${dataDirectory}`))
        process.kill(Number(name), 'SIGKILL');
    } catch {
      // Somebody else's, or gone by now.
    }
  }
}

/** Starts a daemon and resolves when it is ready. Use it with `await using`, or stop it in a hook. */
export async function startDaemon(options: DaemonOptions = {}): Promise<TestDaemon> {
  const sandbox = await createSandbox(options);
  let running: Launched;
  try {
    running = await launch(sandbox);
  } catch (error) {
    await sandbox[Symbol.asyncDispose]();
    throw error;
  }
  const end = async (signal: NodeJS.Signals) => {
    running.child.kill(signal);
    return await running.exited;
  };
  return {
    ...sandbox,
    get pid() {
      return running.child.pid ?? 0;
    },
    get project() {
      return running.project;
    },
    get socketPath() {
      return running.socketPath;
    },
    get http() {
      return running.http;
    },
    get exited() {
      return running.exited;
    },
    stop: () => end('SIGTERM'),
    kill9: async () => void (await end('SIGKILL')),
    async start() {
      running = await launch(sandbox);
    },
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

interface Launched {
  child: ChildProcess;
  exited: Promise<number | null>;
  project: string;
  socketPath: string;
  http: string;
}

type Report = { ready: true; project: string; socketPath: string } | { ready: false; error: unknown };

async function launch(sandbox: Sandbox): Promise<Launched> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', PROGRAM, 'up', '--detached'],
    {
      cwd: sandbox.projectDirectory,
      env: sandbox.env,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  killAtExit(child);
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const report = await Promise.race([
    once(child, 'message').then(([message]) => message as Report),
    once(child, 'disconnect').then(() => ({ ready: false as const, error: 'it said nothing' })),
  ]);
  if (!report.ready) {
    await exited;
    throw new Error(`The daemon did not start: ${JSON.stringify(report.error)} ${complaint}`);
  }
  const record = JSON.parse(await readFile(join(sandbox.dataDirectory, 'daemon.json'), 'utf8')) as {
    http?: string;
  };
  const { project, socketPath } = report;
  return {
    child,
    exited,
    project,
    socketPath,
    http: record.http?.replace('http://', '') ?? '',
  };
}
