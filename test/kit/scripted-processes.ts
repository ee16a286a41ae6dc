import { type ProcessRef, RelayError } from '@agent-relay/protocol';
import type { AgentProgram, Processes } from '../../packages/relay/src/core/ports/processes.ts';

/** The programs of agents as a test wants them: nothing runs, and the test says what would have happened. */
export class ScriptedProcesses implements Processes {
  readonly started: AgentProgram[] = [];
  readonly ended: number[] = [];
  readonly alive = new Set<number>();
  /** Those that no host has started. */
  readonly foreign = new Set<number>();
  onHostEnded: Processes['onHostEnded'] = () => undefined;

  async locate({ command, cwd, root }: Parameters<Processes['locate']>[0]) {
    if (command === 'droid') throw new RelayError('CommandNotFound');
    const place = cwd ?? root ?? '/work';
    return { file: `/bin/${command}`, cwd: place, isInside: !place.startsWith('/elsewhere') };
  }

  async start(program: AgentProgram, record: Parameters<Processes['start']>[1]): Promise<void> {
    this.started.push(program);
    const host = this.hostOf(program.run);
    this.alive.add(host.pid);
    await record(host);
  }

  /** The host of a run, by which it introduces itself. */
  hostOf(run: string): ProcessRef {
    return { pid: 1001 + this.started.findIndex((one) => one.run === run), mark: 'started' };
  }

  isAlive({ pid }: ProcessRef): boolean {
    return this.alive.has(pid);
  }

  isBelow({ pid }: ProcessRef): boolean {
    return !this.foreign.has(pid);
  }

  async isGone(process: ProcessRef): Promise<boolean> {
    return !this.isAlive(process);
  }

  async end({ host }: Parameters<Processes['end']>[0]): Promise<void> {
    this.alive.delete(host.pid);
    this.ended.push(host.pid);
  }
}
