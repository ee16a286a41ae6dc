import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { checkOwner, isMissing, systemReason } from '@agent-relay/platform';
import { checkName, RelayError } from '@agent-relay/protocol';
import { type Environment, findSocketPath, projectsDirectory } from './locations.ts';
import { findProjectConfig, type OnIgnored } from './project-config.ts';
import { directoryOf, projectIn, renamedTo } from './project-names.ts';
import { isListening, runningProjects } from './running-projects.ts';

/**
 * Which step of the search matched. The last two are for a directory outside all projects: `default` is the project for
 * those, `only-one` is some other project that nobody chose.
 */
export type DiscoverySource =
  | 'option'
  | 'RELAY_SOCKET'
  | 'RELAY_PROJECT'
  | '.relay/config.json'
  | 'default'
  | 'only-one';

export interface Discovery {
  socketPath: string;
  /** Unknown if only a path was given that does not contain it. */
  project?: string;
  source: DiscoverySource;
  /** Where the search for `.relay/config.json` found one, or began in vain. */
  directory?: string;
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
 * directory or above; without any of them, `default` or the only project whose daemon runs.
 *
 * Whoever sets `RELAY_PROJECT_ROOT` means that project: one that is not there is an error. A match is never skipped because its daemon is not running: that would connect to another project.
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
    const project = await projectAt(socketPath, undefined, env);
    return {
      socketPath,
      ...(project ? { project: checkName(project, 'project') } : {}),
      source: 'RELAY_SOCKET',
    };
  }
  if (env.RELAY_PROJECT) return ofProject(env.RELAY_PROJECT, 'RELAY_PROJECT', env);
  return (await recordedSocket(options)) ?? (await outsideProjects(env, cwd));
}

/** The content of `.relay/config.json`; undefined if there is none. */
export async function recordedSocket({
  env = process.env,
  cwd = process.cwd(),
  onIgnored,
}: DiscoveryOptions): Promise<Discovery | undefined> {
  const config = await findProjectConfig(await startOfSearch(env, cwd), onIgnored);
  if (config === undefined) return undefined;
  const { project, socketPath, root: directory } = config;
  if (socketPath !== undefined) return await ofConfiguredSocket({ socketPath, project, directory }, env);
  return project === undefined
    ? undefined
    : { ...(await ofProject(project, '.relay/config.json', env)), directory };
}

/** The error if nothing listens at the socket that was found. */
export async function notRunning(
  { project, socketPath, source, directory }: Discovery,
  env: Environment,
): Promise<RelayError> {
  const from = directory === undefined ? source : join(directory, source);
  const [running] = await runningProjects(env);
  if (project !== undefined && running === undefined)
    return new RelayError(
      'DaemonNotRunning',
      `No daemon is running for the project "${project}" (from ${from}).`,
    );
  if (project === undefined || source === 'RELAY_SOCKET')
    return new RelayError('DaemonNotRunning', `No daemon listens on ${socketPath} (from ${from}).`, {
      ...(running && {
        next: `The daemon is running elsewhere: ${source === 'RELAY_SOCKET' ? 'unset RELAY_SOCKET, or set it to' : 'use'} ${running.socketPath}`,
      }),
    });
  return new RelayError(
    'DaemonNotRunning',
    `The daemon is running, but does not serve the project "${project}" (from ${from}).`,
    {
      next:
        directory === undefined
          ? 'List the projects with: agent-relay workspace list'
          : `Open it again in ${directory} with: agent-relay daemon start; or choose another with --project`,
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
  config: { socketPath: string; project: string | undefined; directory: string },
  env: Environment,
): Promise<Discovery> {
  const { socketPath, directory } = config;
  const project = await projectAt(socketPath, config.project, env);
  const found = {
    socketPath,
    ...(project ? { project } : {}),
    source: '.relay/config.json',
    directory,
  } as const;
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

/** The project of a directory without a record, here and above it. */
async function outsideProjects(env: Environment, cwd: string): Promise<Discovery> {
  const directory = await startOfSearch(env, cwd);
  const running = await runningProjects(env);
  const [only, ...others] = running;
  if (only === undefined) throw new RelayError('DaemonNotRunning', 'No daemon is running for this user.');
  // It exists only if the relay was started outside any project; used from there, it is the right one.
  const outside = running.find(({ project }) => project === DEFAULT_PROJECT);
  if (outside) return { ...outside, source: 'default', directory };
  const choices = running.map(({ project }) => project);
  if (env.RELAY_PROJECT_ROOT)
    throw new RelayError('ProjectNotFound', `${directory} (from RELAY_PROJECT_ROOT) is not in a project.`, {
      next: `Open it as a project there, with: agent-relay daemon start; or choose one that is running: RELAY_PROJECT=${only.project}`,
      details: { suggestions: choices },
    });
  if (others.length === 0) return { ...only, source: 'only-one', directory };
  throw new RelayError(
    'AmbiguousProject',
    `${directory} is not in a project yet, and several projects are running: ${choices.join(', ')}.`,
    {
      next: `Open this directory as a project with: agent-relay daemon start; or choose one: --project ${only.project}`,
      details: { choices },
    },
  );
}

/** Where the search for a project begins: a directory that somebody named must be there. */
export async function startOfSearch(env: Environment, cwd: string): Promise<string> {
  const named = env.RELAY_PROJECT_ROOT;
  if (!named) return cwd;
  const directory = resolve(cwd, named);
  const why = await stat(directory).then(
    (found) => (found.isDirectory() ? undefined : 'it is not a directory'),
    (error) => systemReason(error, 'it does not exist'),
  );
  if (why === undefined) return directory;
  throw new RelayError('InvalidSettings', `RELAY_PROJECT_ROOT is ${directory}, but ${why}.`, {
    next: 'Set it to the directory of a project, or unset it to use the working directory.',
  });
}
