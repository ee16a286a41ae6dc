import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { safeLine } from '@agent-relay/protocol';

/** The process that listens on a port, with its program and command for people. */
export interface PortHolder {
  pid: number;
  command: string;
}

/** It takes a fraction of a second, but more on a busy machine. */
const LSOF_MS = 10_000;

/**
 * Finds the process that listens on a port, if this user may see it and no other process listens there too (at another
 * address). Processes that are only connected to the port don't count.
 */
export const findPortHolder = (
  port: number,
  platform: NodeJS.Platform = process.platform,
): Promise<PortHolder | undefined> => (platform === 'linux' ? findInProc(port) : findWithLsof(port));

async function findInProc(port: number): Promise<PortHolder | undefined> {
  const unclaimed = await listeningSockets(port);
  const holders = new Set<string>();
  // In the order of their ids: a parent comes before the children that it shares a socket with.
  const processes = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  for (const pid of processes.sort((one, other) => Number(one) - Number(other))) {
    if (unclaimed.size === 0) break;
    for (const link of await openFiles(pid)) if (unclaimed.delete(link)) holders.add(pid);
  }
  const [pid, ...others] = holders;
  if (pid === undefined || others.length > 0 || unclaimed.size > 0) return undefined;
  return { pid: Number(pid), command: commandName(await readOrNothing(`/proc/${pid}/cmdline`)) };
}

const LISTEN = '0A';

/** The sockets that listen on the port, named as in `/proc/<pid>/fd`. */
async function listeningSockets(port: number): Promise<Set<string>> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const row of (await readOrNothing(table)).split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
      if (state === LISTEN && local.endsWith(suffix)) sockets.add(`socket:[${inode}]`);
    }
  }
  return sockets;
}

/** The open files of a process; empty for one of another user, or one that has just ended. */
async function openFiles(pid: string): Promise<string[]> {
  const directory = `/proc/${pid}/fd`;
  const descriptors = await readdir(directory).catch(() => []);
  return Promise.all(descriptors.map((each) => readlink(`${directory}/${each}`).catch(() => '')));
}

const readOrNothing = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

async function findWithLsof(port: number): Promise<PortHolder | undefined> {
  // It fails if it finds nothing, and may not be installed.
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
  const run = promisify(execFile)('lsof', args, { timeout: LSOF_MS });
  const { stdout } = await run.catch(() => ({ stdout: '' }));
  const [pid, ...others] = new Set([...stdout.matchAll(/^p(\d+)$/gm)].map(([, found]) => Number(found)));
  if (pid === undefined || others.length > 0) return undefined;
  return { pid, command: safeLine(/^c(.*)$/m.exec(stdout)?.[1] ?? '') };
}

/** The program and its arguments before the first option: options may contain secrets. */
export function commandName(commandLine: string): string {
  const [program = '', ...args] = commandLine.split('\0').filter((word) => word !== '');
  const first = args.findIndex((word) => !word.startsWith('--'));
  const words = first < 0 ? [] : args.slice(first);
  const end = words.findIndex((word) => word.startsWith('-'));
  const shown = [program, ...words.slice(0, end < 0 ? 2 : Math.min(end, 2))];
  return safeLine(shown.map((word) => basename(word).slice(0, 40)).join(' '));
}
