import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process id, and what distinguishes the process from a later one with the same id. */
export interface MarkedProcess {
  pid: number;
  mark: string;
}

/** The start time of the process, as the system reports it; undefined if it does not exist or has ended. */
export function processMark(pid: number): string | undefined {
  if (process.platform !== 'linux') return startedAt(pid);
  const fields = statOf(pid);
  return fields === undefined || isOver(fields) ? undefined : `${bootId()}-${fields[START_TIME]}`;
}

export const isAlive = ({ pid, mark }: MarkedProcess): boolean => processMark(pid) === mark;

/** Signals the process, if it is still the same one; false if it has ended. */
export function signalProcess(target: MarkedProcess, signal: NodeJS.Signals): boolean {
  return isAlive(target) && sent(target.pid, signal);
}

/**
 * Signals everything in the session and group of a process: what was started in one terminal. The
 * leader may have ended; its id is not reused while others are in its session.
 */
export function signalSession(leader: number, signal: NodeJS.Signals): void {
  sent(-leader, signal);
  for (const pid of sessionMembers(leader)) sent(pid, signal);
}

/**
 * The processes that a process has started, and those that these have started, also in other sessions; Linux only. One
 * whose parent has ended, as that of a service in the background, is not among them.
 */
export function descendantsOf(pid: number): MarkedProcess[] {
  if (process.platform !== 'linux') return [];
  const children = new Map<number, MarkedProcess[]>();
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (!fields || isOver(fields)) continue;
    const parent = Number(fields[PARENT]);
    const child = { pid: Number(name), mark: `${bootId()}-${fields[START_TIME]}` };
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const below = (parent: number): MarkedProcess[] =>
    (children.get(parent) ?? []).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

/** Whether a process runs, and was started by another one that runs too, or by what that one has started. */
export function isDescendant(process: MarkedProcess, ancestor: MarkedProcess): boolean {
  if (!isAlive(process)) return false;
  const isFound = parentsOf(process.pid).includes(ancestor.pid);
  // Last: had one of them ended meanwhile, its id could belong to another process.
  return isFound && isAlive(ancestor) && isAlive(process);
}

/** The processes above a process, nearest first. */
function parentsOf(pid: number): number[] {
  const parents: number[] = [];
  for (let parent = parentOf(pid); parent > 1 && !parents.includes(parent); parent = parentOf(parent))
    parents.push(parent);
  return parents;
}

/** 0 if it has none, or has ended. */
function parentOf(pid: number): number {
  if (process.platform === 'linux') return Number(statOf(pid)?.[PARENT] ?? 0);
  return Number(fieldsOf(pid, 'ppid=') ?? 0);
}

/** Where the number of its parent, the number of the process's session and its start are in its state, counted after its name. */
const PARENT = 1;
const SESSION = 3;
const START_TIME = 19;

/** The processes in the session of a process; Linux only. */
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
    // The name before it may contain anything.
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
  const line = fieldsOf(pid, 'state=,lstart=');
  return line === undefined || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
}

/** What `ps` says about a process; undefined if it does not exist. */
function fieldsOf(pid: number, format: string): string | undefined {
  try {
    return execFileSync('ps', ['-o', format, '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    // The exit code of `ps` says that there is none.
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
