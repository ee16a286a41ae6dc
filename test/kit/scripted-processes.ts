import { RelayError } from '@agent-relay/protocol';
import type { AgentProgram, Processes } from '../../packages/relay/src/core/ports/processes.ts';

/** The programs of agents as a test wants them: nothing runs, and the test says what would have happened. */
export class ScriptedProcesses implements Processes {
  readonly started: AgentProgram[] = [];
  readonly ended: number[] = [];
  readonly alive = new Set<number>();
  onHostEnded: Processes['onHostEnded'] = () => undefined;

  async locate({ command, cwd, root }: Parameters<Processes['locate']>[0]) {
    if (command === 'droid') throw new RelayError('CommandNotFound');
    const place = cwd ?? root ?? '/work';
    return { file: `/bin/${command}`, cwd: place, isInside: !place.startsWith('/elsewhere') };
  }

  async start(program: AgentProgram) {
    this.started.push(program);
    const pid = 1000 + this.started.length;
    this.alive.add(pid);
    return { pid, mark: `started-${pid}` };
  }

  isAlive({ pid }: { pid: number }): boolean {
    return this.alive.has(pid);
  }

  async end({ host }: Parameters<Processes['end']>[0]): Promise<void> {
    this.alive.delete(host.pid);
    this.ended.push(host.pid);
  }
}
