import { type OperationParams, type OperationResult, RelayError } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Clock } from '../ports/clock.ts';
import type { Run } from '../ports/store/runs.ts';
import { type Principal, requireAgent } from '../principal.ts';
import type { Messages } from '../sending/messages.ts';
import type { Hosts } from './hosts.ts';
import { requireMayRelease } from './permissions.ts';
import type { Runs } from './runs.ts';

interface Parts {
  runs: Runs;
  hosts: Hosts;
  agents: Agents;
  messages: Messages;
  clock: Clock;
}

/** Results of workers: messages to the agent they work for, which can also be awaited. */
export class Results {
  readonly #parts: Parts;
  readonly #waiting = new Map<string, Set<() => void>>();
  #isStopping = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async submit(
    principal: Principal,
    requestId: string,
    { data, final }: OperationParams<'RESULT_SUBMIT'>,
  ): Promise<OperationResult<'RESULT_SUBMIT'>> {
    const { runs, agents, messages, clock } = this.#parts;
    const worker = requireAgent(principal);
    const run = runs.live(worker.id);
    const parent = run?.parentId === undefined ? undefined : agents.byId(run.parentId);
    if (!run || !parent)
      throw new RelayError(
        'NotRunning',
        `${worker.name} does not work for another agent, so nobody can get its result.`,
        {
          next: 'Send it as a message to the agent that asked for it.',
        },
      );
    const content = `${final ? 'RESULT' : 'RESULT so far'}, as ${worker.name} says: ${JSON.stringify(data)}`;
    const params = { to: parent.name, content, kind: 'status', importance: 'normal' } as const;
    const { result } = await messages.send(principal, requestId, params);
    await runs.save(run, { result: { data, final, at: clock.now() } });
    if (final) this.#settle(run);
    return { messageId: result.messageId, to: parent.name };
  }

  async wait(
    principal: Principal,
    name: string,
    timeoutMs: number,
  ): Promise<OperationResult<'RESULT_AWAIT'>> {
    const { runs, agents, hosts, clock } = this.#parts;
    const agent = agents.get(principal.workspace, name);
    const run = runs.of(agent.id);
    if (!run?.spawned) throw new RelayError('NotRunning', `${agent.name} was not spawned.`);
    requireMayRelease(principal, agent, run);
    if (!run.result?.final && run.endedAt === undefined && timeoutMs > 0 && !this.#isStopping) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiting = this.#waiting.get(run.id) ?? new Set();
      this.#waiting.set(run.id, waiting.add(resolve));
      const stop = clock.after(timeoutMs, resolve);
      await Promise.race([promise, hosts.whenEnded(run)]);
      stop();
      waiting.delete(resolve);
      if (waiting.size === 0) this.#waiting.delete(run.id);
    }
    const { result, exit, endedAt } = run;
    return { ...(result && { result }), ...(exit && { exit }), running: endedAt === undefined };
  }

  /** The daemon stops: ends every wait. */
  stopWaiting(): void {
    this.#isStopping = true;
    for (const waiting of this.#waiting.values()) for (const resolve of waiting) resolve();
  }

  #settle(run: Run): void {
    for (const resolve of this.#waiting.get(run.id) ?? []) resolve();
  }
}
