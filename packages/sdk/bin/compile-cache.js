// Where compiled code is kept between starts. This file must be readable by any Node from 14 on.
import { lstatSync, mkdirSync, readlinkSync, realpathSync, renameSync, statSync } from 'node:fs';
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Lets Node keep the code it compiles. Compiled code is run without being compared with its source, so the directory is
 * used only if nobody else can have put anything there; otherwise there is no cache. Returns false where Node already
 * uses another one, because NODE_COMPILE_CACHE names it, that others can write to.
 */
export function enableCompileCache() {
  const inUse = nodeModule.getCompileCacheDir();
  if (inUse !== undefined) return !process.env.NODE_COMPILE_CACHE || isPrivate(inUse);
  const directory = ownDirectory();
  if (isPrivate(directory)) {
    // Node makes a directory in it for each of its versions.
    const umask = process.umask(0o077);
    nodeModule.enableCompileCache(directory);
    process.umask(umask);
  } else {
    putAsideIfOpen(directory);
  }
  return true;
}

/** The environment for another Node, without a cache that others can write to: it would use it before anything else. */
export function withoutOpenCache(env) {
  const { NODE_COMPILE_CACHE: directory, ...rest } = env;
  return directory && isPrivate(resolve(directory)) ? env : rest;
}

function ownDirectory() {
  const { XDG_CACHE_HOME: caches } = process.env;
  const base = caches && isAbsolute(caches) ? caches : join(homedir(), '.cache');
  return join(base, 'agent-relay-compiled');
}

/** What lies in a directory that others could write to may be theirs, also after a chmod: the next start makes a new one. */
function putAsideIfOpen(directory) {
  try {
    const found = lstatSync(directory);
    if (found.isDirectory() && found.uid === ownUser() && isOpen(found)) {
      renameSync(directory, `${directory}.open-${Date.now()}`);
    }
  } catch {
    // It is not there, or stays where it is and is not used.
  }
}

/** Whether a directory, made here if it is missing, is this user's and nobody else can write to it or replace it. */
function isPrivate(directory) {
  const own = ownUser();
  // Windows keeps other users out of a profile by itself.
  if (own === undefined) return true;
  try {
    const found = trusted(directory, resolve(homedir()));
    return found !== undefined && found.uid === own && !isOpen(found);
  } catch {
    // It cannot be looked at or made.
    return false;
  }
}

/**
 * What is at the path, a directory made here if there is nothing; undefined if others could replace it. Nobody but this
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
  // Fails for a link that leads nowhere or to itself.
  statSync(path);
  return trusted(resolve(realpathSync(above), readlinkSync(path)), home);
}

const isOpen = ({ mode }) => (mode & WRITABLE_BY_OTHERS) !== 0;

const ownUser = () => (process.getuid ? process.getuid() : undefined);
