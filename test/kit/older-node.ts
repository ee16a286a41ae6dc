import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** A Node of this machine that is too old to run the commands itself. */
export function olderNode(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'node'));
  return candidates.find((node) => {
    const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    return status === 0 && Number.parseInt(stdout.slice(1), 10) < 24;
  });
}
