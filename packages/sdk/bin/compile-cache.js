// Where compiled code is cached between starts. This file must run on any Node from 14 on.
import { lstatSync, mkdirSync, readlinkSync, realpathSync, renameSync, statSync } from 'node:fs';
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Enables Node's compile cache. Cached code runs without being compared with its source, so the directory is
 * used only if nobody else can write to it; otherwise there is no cache. Returns false if Node already
 * uses another cache (NODE_COMPILE_CACHE) that others can write to.
 */
export function enableCompileCache() {
  const inUse = nodeModule.getCompileCacheDir();
  if (inUse !== undefined) return !process.env.NODE_COMPILE_CACHE || isPrivate(inUse);
  const directory = ownDirectory();
  if (isPrivate(directory)) {
    // Node creates a directory in it for each of its versions.
    const umask = process.umask(0o077);
    nodeModule.enableCompileCache(directory);
    process.umask(umask);
  } else {
    putAsideIfOpen(directory);
  }
  return true;
}

/** The environment for another Node, without a cache that others can write to: Node uses it before any check of ours. */
export function withoutOpenCache(env) {
  const { NODE_COMPILE_CACHE: directory, ...rest } = env;
  return directory && isPrivate(resolve(directory)) ? env : rest;
}

function ownDirectory() {
  const { XDG_CACHE_HOME: caches } = process.env;
  const base = caches && isAbsolute(caches) ? caches : join(homedir(), '.cache');
  return join(base, 'agent-relay-compiled');
}

/** Files in a directory that others could write to may be theirs, even after a chmod: the next start creates a new one. */
function putAsideIfOpen(directory) {
  try {
    const found = lstatSync(directory);
    if (found.isDirectory() && found.uid === ownUser() && isOpen(found)) {
      renameSync(directory, `${directory}.open-${Date.now()}`);
    }
  } catch {
    // It does not exist, or cannot be moved and is not used.
  }
}

/** Whether a directory, created if missing, belongs to this user and nobody else can write to or replace it. */
function isPrivate(directory) {
  const own = ownUser();
  // Windows keeps other users out of a profile.
  if (own === undefined) return true;
  try {
    const found = trusted(directory, resolve(homedir()));
    return found !== undefined && found.uid === own && !isOpen(found);
  } catch {
    // It cannot be read or created.
    return false;
  }
}

/**
 * The stats of the path, after creating a missing directory; undefined if others could replace it. Nobody but this
 * user and root may own or write to it and the directories above it, up to `home`. In a sticky directory, such as /tmp,
 * entries can only be replaced by their owner.
 */
function trusted(path, home) {
  const above = dirname(path);
  if (path !== home && above !== path && trusted(above, home) === undefined) return undefined;
  let found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    mkdirSync(path, 0o700);
    found = lstatSync(path);
  }
  if (found.uid !== ownUser() && found.uid !== 0) return undefined;
  if (!found.isSymbolicLink()) return isOpen(found) && (found.mode & STICKY) === 0 ? undefined : found;
  // Fails for a broken or circular link.
  statSync(path);
  return trusted(resolve(realpathSync(above), readlinkSync(path)), home);
}

const isOpen = ({ mode }) => (mode & WRITABLE_BY_OTHERS) !== 0;

const ownUser = () => (process.getuid ? process.getuid() : undefined);
