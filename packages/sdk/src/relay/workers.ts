import type { OperationInput, OperationResult, RunExit } from '@agent-relay/protocol';
import type { ClientSession } from '../connection/client-session.ts';

/** What a spawned agent may be given beside its name and CLI. */
export type SpawnOptions = Omit<OperationInput<'SPAWN'>, 'name' | 'cli'>;

/** What the daemon may take beyond the time it was asked to wait: a program that does not end is given some seconds. */
const SLACK_MS = 30_000;
const USUAL_WAIT_MS = 20_000;

/** Agents that are started in terminals of their own, to work for this one. */
export class Workers {
  readonly #session: ClientSession;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  /**
   * Starts an agent CLI and gives it its task. Resolves with `ready` when it was seen at work on it, else after `waitMs`
   * (20 seconds) with `spawning` and what it waits for. `env` is its environment, as in `env: process.env`.
   */
  spawn(name: string, cli: string, options: SpawnOptions = {}): Promise<OperationResult<'SPAWN'>> {
    const timeoutMs = (options.waitMs ?? USUAL_WAIT_MS) + SLACK_MS;
    return this.#request('SPAWN', { name, cli, ...options }, timeoutMs);
  }

  /** Ends the program of an agent, and takes away one that was spawned; resolves when it is gone. */
  async release(agent: string, options: { reason?: string } = {}): Promise<RunExit | undefined> {
    return (await this.#request('RELEASE', { agent, ...options }, 2 * SLACK_MS)).exit;
  }

  /** Tells the agent this one works for what came of the work. */
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
