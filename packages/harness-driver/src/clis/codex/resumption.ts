import { openFilesOf } from '../open-files.ts';
import type { Resumption } from '../resumption.ts';

/** It keeps the file of its thread open: `rollout-2026-11-17T18-28-09-<id>.jsonl`. */
const ROLLOUT = /\/rollout-(\d{4}-\d\d-\d\dT[\d-]{8})-([0-9a-f-]{36})\.jsonl$/;
const LOOK_MS = 1000;

export const codexResumption: Resumption = {
  options: {
    valued: [
      ...['-c', '--config', '--enable', '--disable', '--remote', '--remote-auth-token-env', '-m', '--model'],
      ...['--local-provider', '-p', '--profile', '-s', '--sandbox', '-C', '--cd', '--add-dir'],
      ...['-a', '--ask-for-approval'],
    ],
    greedy: ['-i', '--image'],
    once: ['-i', '--image', '--worktree', '--last', '--all', '--include-non-interactive'],
  },
  resume: (id) => ['resume', id],
  watch({ pid }, onSession) {
    const look = () => {
      const id = newestThread(openFilesOf(pid));
      if (id !== undefined) onSession(id);
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  },
};

/** After `/new`, the file of the previous thread may still be open. */
function newestThread(files: readonly string[]): string | undefined {
  const found = files.flatMap((file) => {
    const [, begunAt, id] = ROLLOUT.exec(file) ?? [];
    return begunAt === undefined || id === undefined ? [] : [{ begunAt, id }];
  });
  return found.sort((one, other) => one.begunAt.localeCompare(other.begunAt)).at(-1)?.id;
}
