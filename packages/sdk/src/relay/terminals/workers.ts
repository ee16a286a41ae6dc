import type { OperationInput, OperationResult } from '@agent-relay/protocol';
import type { ClientSession } from '../../connection/client-session.ts';
import { callApplication } from '../../connection/emitter.ts';

/** Options of a spawned agent. */
export type SpawnOptions = Omit<OperationInput<'SPAWN'>, 'name' | 'cli' | 'call'> & {
  /** Called with each step before its program starts, such as setting up its worktree. */
  onProgress?: (text: string) => void;
};

/** Workers of the caller of a tool or action: with its permissions, and only as its arguments say. */
export type CallerWorkers = Pick<Workers, 'spawn' | 'release'>;

/** How much longer than requested the daemon may take: a program that does not end gets some seconds. */
const SLACK_MS = 30_000;
const USUAL_WAIT_MS = 20_000;
/** Time limit for setting up a worktree. */
const SETUP_MS = 16 * 60_000;
/** Programs end within seconds; comparing all files of a large worktree takes longer. */
const RELEASE_MS = 5 * 60_000;

/** Agents started in their own terminals, to work for this one. */
export class Workers {
  readonly #session: ClientSession;
  /** If set, they work for the caller of this call instead. */
  readonly #for: { call?: string };

  constructor(session: ClientSession, call?: string) {
    this.#session = session;
    this.#for = call === undefined ? {} : { call };
  }

  /**
   * Starts an agent CLI and gives it its task. Resolves with `ready` when it was observed working on it, else after `waitMs`
   * (20 seconds) with `spawning` and what it is waiting for. `env` is its environment, as in `env: process.env`.
   */
  async spawn(
    name: string,
    cli: string,
    { onProgress, ...options }: SpawnOptions = {},
  ): Promise<OperationResult<'SPAWN'>> {
    const { waitMs = USUAL_WAIT_MS, worktree } = options;
    const stop = this.#session.events.on('spawn.progress', ({ agent, text }) => {
      if (agent === name && onProgress) callApplication(onProgress, text);
    });
    try {
      const timeoutMs = waitMs + SLACK_MS + (worktree ? SETUP_MS : 0);
      return await this.#request('SPAWN', { name, cli, ...options, ...this.#for }, timeoutMs);
    } finally {
      stop();
    }
  }

  /**
   * Ends the program of an agent, and removes a spawned agent; resolves when it has ended, with `worktree` if its worktree was
   * kept, or commits of it, or if ignored files went with it.
   */
  release(agent: string, options: { reason?: string } = {}): Promise<OperationResult<'RELEASE'>> {
    return this.#request('RELEASE', { agent, ...options, ...this.#for }, RELEASE_MS);
  }

  /**
   * Starts an agent that has ended again, in the same conversation. An agent of `agent-relay run` is not started: the answer
   * says what to run (`foreground`).
   */
  resume(
    agent: string,
    options: Omit<OperationInput<'RESUME'>, 'agent'> = {},
  ): Promise<OperationResult<'RESUME'>> {
    const { waitMs = USUAL_WAIT_MS } = options;
    return this.#request('RESUME', { agent, ...options }, waitMs + SLACK_MS);
  }

  /** Sends the result of the work to the agent this one works for. */
  submitResult(data: OperationInput<'RESULT_SUBMIT'>['data'], options: { final?: boolean } = {}) {
    return this.#request('RESULT_SUBMIT', { data, ...options }, SLACK_MS);
  }

  /** Resolves with the final result of a worker; without one when its program has ended, or after the time. */
  awaitResult(
    agent: string,
    { timeoutMs = SLACK_MS }: { timeoutMs?: number } = {},
  ): Promise<OperationResult<'RESULT_AWAIT'>> {
    return this.#request('RESULT_AWAIT', { agent, timeoutMs }, timeoutMs + SLACK_MS);
  }

  #request<Name extends 'SPAWN' | 'RESUME' | 'RELEASE' | 'RESULT_SUBMIT' | 'RESULT_AWAIT'>(
    operation: Name,
    params: OperationInput<Name>,
    timeoutMs: number,
  ): Promise<OperationResult<Name>> {
    return this.#session.request(operation, params, this.#session.newId(), undefined, timeoutMs);
  }
}
