import { readdirSync, readFileSync } from 'node:fs';
import { CannotRun } from '../faults/fault.ts';

/** The memory of a process, in MiB. */
export function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1]) / 1024;
}

/** The peak memory of a process, in MiB. */
export function peakMegabytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1]) / 1024;
}

/** How many files and sockets a process has open. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CannotRun('needs the /proc of Linux to see the memory of the daemon', { cause });
  }
}
