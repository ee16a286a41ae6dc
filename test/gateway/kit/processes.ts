/** The processes that scripted servers wrote down in their journal: their own and that of a child. */
export const processesIn = (journal: string[]): number[] => [
  ...new Set(journal.flatMap((line) => /^(?:initialize|child) (\d+)$/.exec(line)?.[1] ?? []).map(Number)),
];

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
