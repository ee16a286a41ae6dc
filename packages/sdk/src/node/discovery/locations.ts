import { createHash } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import {
  closeToOthers,
  ensurePrivateDirectory,
  isThere,
  readIfThere,
  writeAtomically,
} from '@agent-relay/platform';
import { checkName, RelayError } from '@agent-relay/protocol';

/** The environment variables a function may look at; `process.env` unless a caller gives its own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The longest socket path on all supported platforms: macOS allows 104 bytes, including the terminating zero. */
export const MAX_SOCKET_PATH_BYTES = 103;

/** The data directory of this user: `RELAY_DATA_DIR`, or the platform's default. */
export function dataDirectory(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (env.RELAY_DATA_DIR) return resolve(env.RELAY_DATA_DIR);
  const home = env.HOME || homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'agent-relay');
  // The XDG specification says to ignore relative paths.
  const shared = env.XDG_DATA_HOME && isAbsolute(env.XDG_DATA_HOME) ? env.XDG_DATA_HOME : undefined;
  return join(shared ?? join(home, '.local', 'share'), 'agent-relay');
}

/** For readers: checks that the data directory, if it exists, is private to this user. */
export async function checkDataDirectory(env: Environment = process.env): Promise<void> {
  const directory = dataDirectory(env);
  if (await isThere(directory)) await closeToOthers(directory);
}

/** The parent of all project directories. */
export const projectsDirectory = (env: Environment = process.env): string =>
  join(dataDirectory(env), 'projects');

/**
 * The directory of a project, by directory name: the project's first name, with a number (`demo~2`) if another
 * one had it. It is checked, so that it can never lead elsewhere.
 */
export function projectDirectory(directory: string, env: Environment = process.env): string {
  checkName(directory.replace(/~\d+$/, ''), 'project');
  return join(projectsDirectory(env), directory);
}

const inProject = (directory: string, env: Environment) =>
  join(projectDirectory(directory, env), 'daemon.sock');
const pointerOf = (socketPath: string) => `${socketPath}.path`;
const fits = (socketPath: string) => Buffer.byteLength(socketPath) <= MAX_SOCKET_PATH_BYTES;

/**
 * For the daemon: the path to listen on for a project. Creates its directories, private to this
 * user, and clients find the path with `findSocketPath`.
 */
export async function prepareSocketPath(directory: string, env: Environment = process.env): Promise<string> {
  await ensurePrivateDirectory(projectDirectory(directory, env));
  const socketPath = inProject(directory, env);
  if (fits(socketPath)) return socketPath;
  const shortPath = shortSocketPath(socketPath, env);
  await ensurePrivateDirectory(dirname(shortPath));
  await writeAtomically(pointerOf(socketPath), shortPath);
  return shortPath;
}

/** For clients: where the daemon listens for a project; undefined if it never did. */
export async function findSocketPath(
  directory: string,
  env: Environment = process.env,
): Promise<string | undefined> {
  const socketPath = inProject(directory, env);
  await checkDataDirectory(env);
  if (fits(socketPath)) return socketPath;
  const shortPath = await readIfThere(pointerOf(socketPath));
  if (shortPath === undefined || !(await isThere(dirname(shortPath)))) return undefined;
  // Runtime directories are cleared at boot; in a shared one, another user could then create the path.
  await closeToOthers(dirname(shortPath));
  return shortPath;
}

/** The hash separates projects and data directories. */
function shortSocketPath(socketPath: string, env: Environment): string {
  const name = `${createHash('sha256').update(socketPath).digest('hex').slice(0, 16)}.sock`;
  const runtime = env.XDG_RUNTIME_DIR;
  const candidates = [
    ...(runtime && isAbsolute(runtime) ? [join(runtime, 'agent-relay', name)] : []),
    join(env.TMPDIR || tmpdir(), `agent-relay-${process.getuid?.() ?? 'user'}`, name),
  ];
  const found = candidates.find(fits);
  if (found !== undefined) return found;
  throw new RelayError(
    'InvalidSettings',
    `Every possible socket path is longer than ${MAX_SOCKET_PATH_BYTES} bytes.`,
    {
      next: 'Set RELAY_DATA_DIR or XDG_RUNTIME_DIR to a directory with a shorter path.',
    },
  );
}
