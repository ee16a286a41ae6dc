import type { OperationInput, OperationResult, RunExit } from '@agent-relay/protocol';
import type { ClientSession } from '../connection/client-session.ts';

/** Options of a spawned agent. */
export type SpawnOptions = Omit<OperationInput<'SPAWN'>, 'name' | 'cli' | 'call'>;

/** Workers of the caller of a tool or action: with its permissions, and only as its arguments say. */
export type CallerWorkers = Pick<Workers, 'spawn' | 'release'>;

/** How much longer than requested the daemon may take: a program that does not end gets some seconds. */
const SLACK_MS = 30_000;
const USUAL_WAIT_MS = 20_000;

/** Agents started in their own terminals, to work for this one. */
export class Workers {
  readonly #session: ClientSession;
  /** The call for whose caller they work instead. */
  readonly #for: { call?: string };

  constructor(session: ClientSession, call?: string) {
    this.#session = session;
    this.#for = call === undefined ? {} : { call };
  }

  /**
   * Starts an agent CLI and gives it its task. Resolves with `ready` when it was observed working on it, else after `waitMs`
   * (20 seconds) with `spawning` and what it is waiting for. `env` is its environment, as in `env: process.env`.
   */
  spawn(name: string, cli: string, options: SpawnOptions = {}): Promise<OperationResult<'SPAWN'>> {
    const timeoutMs = (options.waitMs ?? USUAL_WAIT_MS) + SLACK_MS;
    return this.#request('SPAWN', { name, cli, ...options, ...this.#for }, timeoutMs);
  }

  /** Ends the program of an agent, and removes a spawned agent; resolves when it has ended. */
  async release(agent: string, options: { reason?: string } = {}): Promise<RunExit | undefined> {
    return (await this.#request('RELEASE', { agent, ...options, ...this.#for }, 2 * SLACK_MS)).exit;
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

  #request<Name extends 'SPAWN' | 'RELEASE' | 'RESULT_SUBMIT' | 'RESULT_AWAIT'>(
    operation: Name,
    params: OperationInput<Name>,
    timeoutMs: number,
  ): Promise<OperationResult<Name>> {
    return this.#session.request(operation, params, this.#session.newId(), undefined, timeoutMs);
  }
}
