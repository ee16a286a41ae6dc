import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process by its number, and what tells it from a later one of the same number. */
export interface MarkedProcess {
  pid: number;
  mark: string;
}

/** When the process was started, as the system says it; undefined for one that is not there, or has ended. */
export function processMark(pid: number): string | undefined {
  if (process.platform !== 'linux') return startedAt(pid);
  const fields = statOf(pid);
  return fields === undefined || isOver(fields) ? undefined : `${bootId()}-${fields[START_TIME]}`;
}

export const isAlive = ({ pid, mark }: MarkedProcess): boolean => processMark(pid) === mark;

/** Signals the process, if it is still the one that is meant; false if it is gone. */
export function signalProcess(target: MarkedProcess, signal: NodeJS.Signals): boolean {
  return isAlive(target) && sent(target.pid, signal);
}

/**
 * Signals everything in the session that a process leads, and the group it leads: what was started in one terminal. The
 * leader may be gone already; its number is not used again while others are in its session.
 */
export function signalSession(leader: number, signal: NodeJS.Signals): void {
  sent(-leader, signal);
  for (const pid of sessionMembers(leader)) sent(pid, signal);
}

/** Where the number of the process's session and its start are in its state, counted after its name. */
const SESSION = 3;
const START_TIME = 19;

/** What runs in the session of a process; only Linux tells. */
function sessionMembers(leader: number): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    const fields = statOf(pid);
    return fields && Number(fields[SESSION]) === leader && !isOver(fields) ? [pid] : [];
  });
}

/** A process that has ended and was not collected by its parent yet. */
const isOver = ([state]: string[]): boolean => state === 'Z' || state === 'X';

function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    // It ended, or ends while it is read.
    return undefined;
  }
}

let knownBootId: string | undefined;
function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return knownBootId;
}

function startedAt(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    // `ps` says by its exit code that there is none.
    return undefined;
  }
}

function sent(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}
