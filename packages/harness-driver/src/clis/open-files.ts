import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The open files of a process and its children; Linux only. */
export function openFilesOf(pid: number): string[] {
  const links = unlessGone(() => readdirSync(`/proc/${pid}/fd`), []).map((fd) =>
    unlessGone(() => readlinkSync(`/proc/${pid}/fd/${fd}`), ''),
  );
  const children = unlessGone(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), '');
  const others = children.split(' ').filter((child) => child !== '');
  return [...links, ...others.flatMap((child) => openFilesOf(Number(child)))];
}

/** Processes may end and files may close meanwhile. */
function unlessGone<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
