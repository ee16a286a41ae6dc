import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { isMissing } from '@agent-relay/platform';
import { isRelayError, RelayError } from '@agent-relay/protocol';
import {
  checkDataDirectory,
  type Environment,
  findSocketPath,
  projectDirectory,
  projectsDirectory,
} from './locations.ts';
import { projectIn } from './project-names.ts';

export interface RunningProject {
  socketPath: string;
  project: string;
}

/** The projects with a running daemon, by name. */
export async function runningProjects(env: Environment = process.env): Promise<RunningProject[]> {
  await checkDataDirectory(env);
  const entries = await projectDirectories(env);
  const candidates = await Promise.all(entries.map((directory) => ifRunning(directory, env)));
  return candidates
    .filter((candidate) => candidate !== undefined)
    .sort((one, other) => (one.project < other.project ? -1 : 1));
}

async function ifRunning(directory: string, env: Environment): Promise<RunningProject | undefined> {
  try {
    const socketPath = await findSocketPath(directory, env);
    if (socketPath === undefined || !(await isListening(socketPath))) return undefined;
    return { socketPath, project: (await projectIn(directory, env)) ?? directory };
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
export function isListening(socketPath: string): Promise<boolean> {
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
