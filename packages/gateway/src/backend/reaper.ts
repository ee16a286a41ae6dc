import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Ends the backends' process groups when the gateway dies without a goodbye (kill -9, a crash).
 * A shell of its own session reads group ids from a pipe; the pipe ends with the gateway, however that ends.
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

let shell: ChildProcess | undefined;

export function watchGroup(groupId: number): void {
  if (!shell) {
    shell = spawn('/bin/sh', ['-c', SCRIPT], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
    });
    shell.unref();
    // The pipe must not keep a finished gateway running.
    (shell.stdin as Socket | null)?.unref();
    shell.on('error', () => (shell = undefined));
    shell.stdin?.on('error', () => (shell = undefined));
  }
  shell.stdin?.write(`+ ${groupId}\n`);
}

export function forgetGroup(groupId: number): void {
  shell?.stdin?.write(`- ${groupId}\n`);
}
