import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The files that a process and its children have open; on Linux only. */
export function openFilesOf(pid: number): string[] {
  const links = unlessGone(() => readdirSync(`/proc/${pid}/fd`), []).map((fd) =>
    unlessGone(() => readlinkSync(`/proc/${pid}/fd/${fd}`), ''),
  );
  const children = unlessGone(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), '');
  const others = children.split(' ').filter((child) => child !== '');
  return [...links, ...others.flatMap((child) => openFilesOf(Number(child)))];
}

/** Processes end, and files are closed, while one looks. */
function unlessGone<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
