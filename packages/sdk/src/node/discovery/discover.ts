import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, dirname, resolve } from 'node:path';
import { checkOwner, isMissing } from '@agent-relay/platform';
import { checkName, isRelayError, RelayError } from '@agent-relay/protocol';
import {
  checkDataDirectory,
  type Environment,
  findSocketPath,
  projectDirectory,
  projectsDirectory,
} from './locations.ts';
import { findProjectConfig, type OnIgnored } from './project-config.ts';
import { directoryOf, projectIn, renamedTo } from './project-names.ts';

/** Which step of the search matched. */
export type DiscoverySource = 'option' | 'RELAY_SOCKET' | 'RELAY_PROJECT' | '.relay/config.json' | 'scan';

export interface Discovery {
  socketPath: string;
  /** Unknown if only a path was given that does not contain it. */
  project?: string;
  source: DiscoverySource;
}

export interface DiscoveryOptions {
  /** Overrides the environment. */
  project?: string;
  env?: Environment;
  cwd?: string;
  /** Called for a `.relay` that is ignored because others own it or can write to it. */
  onIgnored?: OnIgnored;
}

/**
 * Finds the daemon's socket and checks that it accepts connections. The first of these that is set wins:
 * the `project` option, `RELAY_SOCKET`, `RELAY_PROJECT`, `.relay/config.json` in `RELAY_PROJECT_ROOT` or the working
 * directory or above; without any of them, the only project whose daemon runs.
 *
 * A match is never skipped because its daemon is not running: that would connect to another project.
 */
export async function discoverSocket(options: DiscoveryOptions = {}): Promise<Discovery> {
  const found = await locateSocket(options);
  if (await isListening(found.socketPath)) return found;
  throw await notRunning(found, options.env ?? process.env);
}

/** The same search, without the check that a daemon listens, except where the search needs it. */
export async function locateSocket(options: DiscoveryOptions = {}): Promise<Discovery> {
  const { env = process.env, cwd = process.cwd() } = options;
  if (options.project) return ofProject(options.project, 'option', env);
  if (env.RELAY_SOCKET) {
    const socketPath = resolve(cwd, env.RELAY_SOCKET);
    const project = await projectAt(socketPath, env.RELAY_PROJECT || undefined, env);
    return {
      socketPath,
      ...(project ? { project: checkName(project, 'project') } : {}),
      source: 'RELAY_SOCKET',
    };
  }
  if (env.RELAY_PROJECT) return ofProject(env.RELAY_PROJECT, 'RELAY_PROJECT', env);
  return (await recordedSocket(options)) ?? (await soleRunning(env, env.RELAY_PROJECT_ROOT || cwd));
}

/** The content of `.relay/config.json`; undefined if there is none. */
export async function recordedSocket({
  env = process.env,
  cwd = process.cwd(),
  onIgnored,
}: DiscoveryOptions): Promise<Discovery | undefined> {
  const config = await findProjectConfig(env.RELAY_PROJECT_ROOT || cwd, onIgnored);
  if (config?.socketPath !== undefined) return ofConfiguredSocket(config.socketPath, config.project, env);
  return config?.project === undefined ? undefined : ofProject(config.project, '.relay/config.json', env);
}

/** The error if nothing listens at the socket that was found. */
async function notRunning({ project, socketPath, source }: Discovery, env: Environment): Promise<RelayError> {
  if (project === undefined)
    return new RelayError('DaemonNotRunning', `No daemon listens on ${socketPath} (from ${source}).`);
  if ((await runningProjects(env)).length === 0)
    return new RelayError(
      'DaemonNotRunning',
      `No daemon is running for the project "${project}" (from ${source}).`,
    );
  return new RelayError(
    'DaemonNotRunning',
    `The daemon is running, but does not serve the project "${project}" (from ${source}).`,
    {
      next:
        source === '.relay/config.json'
          ? 'Open this directory as a project with: agent-relay daemon start'
          : 'List the projects with: agent-relay workspace list',
    },
  );
}

async function ofProject(project: string, source: DiscoverySource, env: Environment): Promise<Discovery> {
  await refuseFormerName(project, source, env);
  const socketPath = await findSocketPath(await directoryOf(project, env), env);
  if (socketPath !== undefined) return { socketPath, project, source };
  throw new RelayError(
    'DaemonNotRunning',
    `No daemon has ever run for the project "${project}" (from ${source}).`,
  );
}

/** The error for a former project name: the new name, and where to set it. */
async function refuseFormerName(project: string, source: DiscoverySource, env: Environment): Promise<void> {
  const name = await renamedTo(project, env);
  if (name === undefined) return;
  const places: Partial<Record<DiscoverySource, string>> = {
    RELAY_PROJECT: `Set it in the environment: RELAY_PROJECT=${name}`,
    '.relay/config.json': 'Record it there with: agent-relay daemon start',
  };
  throw new RelayError(
    'ProjectNotFound',
    `The project "${project}" (from ${source}) was renamed to "${name}".`,
    {
      next: places[source] ?? `Ask for it by that name: --project ${name}`,
      details: { suggestions: [name] },
    },
  );
}

/** A configuration file may come with a cloned repository: it must not redirect our token to others. */
async function ofConfiguredSocket(
  socketPath: string,
  namedProject: string | undefined,
  env: Environment,
): Promise<Discovery> {
  const project = await projectAt(socketPath, namedProject, env);
  const found: Discovery = { socketPath, ...(project ? { project } : {}), source: '.relay/config.json' };
  try {
    await checkOwner(socketPath);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw await notRunning(found, env);
  }
  return found;
}

/** The project for everything outside other projects. */
export const DEFAULT_PROJECT = 'default';

/**
 * The project served at the path. The socket stays in place when its project is renamed: `noted`, the name recorded
 * with the path, may be the old one.
 */
export async function projectAt(
  socketPath: string,
  noted: string | undefined,
  env: Environment,
): Promise<string | undefined> {
  const directory = dirname(socketPath);
  if (dirname(directory) !== projectsDirectory(env)) return noted;
  return (await projectIn(basename(directory), env)) ?? noted ?? basename(directory);
}

async function soleRunning(env: Environment, directory: string): Promise<Discovery> {
  const running = await runningProjects(env);
  const [only, ...others] = running;
  if (only === undefined) throw new RelayError('DaemonNotRunning', 'No daemon is running for this user.');
  if (others.length === 0) return only;
  // It exists only if the relay was started outside any project; used from there, it is the right one.
  const outside = running.find(({ project }) => project === DEFAULT_PROJECT);
  if (outside) return outside;
  const choices = running.map(({ project }) => project);
  throw new RelayError(
    'AmbiguousProject',
    `${directory} is not in a project yet, and several projects are running: ${choices.join(', ')}.`,
    {
      next: `Open this directory as a project with: agent-relay daemon start; or choose one: --project ${only.project}`,
      details: { choices },
    },
  );
}

/** The projects with a running daemon, by name. */
export async function runningProjects(
  env: Environment = process.env,
): Promise<Array<Discovery & { project: string }>> {
  await checkDataDirectory(env);
  const entries = await projectDirectories(env);
  const candidates = await Promise.all(entries.map((directory) => ifRunning(directory, env)));
  return candidates
    .filter((candidate) => candidate !== undefined)
    .sort((one, other) => (one.project < other.project ? -1 : 1));
}

async function ifRunning(
  directory: string,
  env: Environment,
): Promise<(Discovery & { project: string }) | undefined> {
  try {
    const socketPath = await findSocketPath(directory, env);
    if (socketPath === undefined || !(await isListening(socketPath))) return undefined;
    return { socketPath, project: (await projectIn(directory, env)) ?? directory, source: 'scan' };
  } catch (error) {
    // Skip one that belongs to another user.
    if (isRelayError(error, 'NotAllowedToRunAs')) return undefined;
    throw error;
  }
}

async function projectDirectories(env: Environment): Promise<string[]> {
  try {
    const entries = await readdir(projectsDirectory(env), { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && isOfProject(entry.name, env))
      .map((entry) => entry.name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isOfProject(directory: string, env: Environment): boolean {
  try {
    projectDirectory(directory, env);
    return true;
  } catch {
    return false;
  }
}

/** Whether the path accepts connections; a socket file left behind by a crash does not. */
function isListening(socketPath: string): Promise<boolean> {
  return new Promise((answer, fail) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      answer(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES' || error.code === 'EPERM') {
        fail(new RelayError('NotAllowedToRunAs', `${socketPath} belongs to another user.`, { cause: error }));
      } else {
        // A full backlog means the daemon is busy, not gone.
        answer(error.code === 'EAGAIN');
      }
    });
  });
}
