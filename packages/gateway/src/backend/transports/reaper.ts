import {
  type ChildProcess,
  type ChildProcessByStdio,
  type SpawnOptionsWithStdioTuple,
  type StdioPipe,
  spawn,
} from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/**
 * Kills the process groups of the backends if the gateway dies abruptly (kill -9, a crash). A shell in its own session
 * reads group ids from a pipe, and the pipe closes however the gateway ends.
 */
const SCRIPT = `trap '' INT TERM HUP
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case "$groups" in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
[ "$groups" = ' ' ] || sleep 1
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done`;

/** Execs the program when told to. If the gateway dies first, its input ends and so does this shell. */
const GATE = 'read -r go && exec "$@"';
/** Variable names that a shell passes on. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

let shell: ChildProcess | undefined;
const groups = new Set<number>();

/**
 * Starts a program as leader of its own process group. It waits until the group is watched, unless a shell would lose
 * one of its variables.
 */
export function spawnWatched(
  command: string,
  args: string[],
  options: SpawnOptionsWithStdioTuple<StdioPipe, StdioPipe, StdioPipe>,
): ChildProcessByStdio<Writable, Readable, Readable> {
  const reaper = startShell();
  const isGated = Object.keys(options.env ?? {}).every((name) => SHELL_NAME.test(name));
  const [program, words] = isGated ? ['/bin/sh', ['-c', GATE, 'sh', command, ...args]] : [command, args];
  const child = spawn(program, words, { ...options, detached: true });
  if (child.pid !== undefined) {
    groups.add(child.pid);
    reaper.stdin?.write(`+ ${child.pid}\n`);
    if (isGated) child.stdin.write('go\n');
  }
  return child;
}

export function forgetGroup(groupId: number): void {
  groups.delete(groupId);
  shell?.stdin?.write(`- ${groupId}\n`);
}

function startShell(): ChildProcess {
  if (shell) return shell;
  const started = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  started.unref();
  // The pipe must not keep the process alive.
  (started.stdin as Socket | null)?.unref();
  const gone = () => {
    if (shell === started) shell = undefined;
  };
  started.on('error', gone).on('exit', gone);
  started.stdin?.on('error', gone);
  for (const group of groups) started.stdin?.write(`+ ${group}\n`);
  shell = started;
  return started;
}
