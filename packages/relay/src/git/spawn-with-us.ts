import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/**
 * Runs the command in the background, and waits for the end of its own input: this process holds the other end, so it ends
 * however this process does. Then everything in the group of the command is ended.
 */
const SCRIPT = `
exec 3<&0
"$@" </dev/null 3<&- &
command=$!
( read -r line <&3; trap '' TERM; kill -TERM -$$; sleep 5; kill -KILL -$$ ) >/dev/null 2>&1 &
guard=$!
wait $command
code=$?
kill -KILL $guard
exit $code
`;

/** Starts a command that does not outlive this process, in a group of its own. */
export const spawnWithUs = (
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'>,
): ChildProcessByStdio<Writable, Readable, Readable> =>
  spawn('/bin/sh', ['-c', SCRIPT, 'sh', command, ...args], {
    ...options,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
