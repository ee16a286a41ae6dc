import type { CallProgress } from '@agent-relay/protocol';
import { type InvocationInfo, isRelayError } from '@agent-relay/sdk';
import { type Signal, signal } from '@preact/signals';
import { relay } from '../connection/connection.ts';

const TIMEOUT_MS = 600_000;

export type CallState =
  | { kind: 'idle' }
  | { kind: 'running'; progress?: CallProgress }
  | { kind: 'done'; text: string; invocation?: string }
  | { kind: 'failed'; message: string; next?: string; invocation?: string };

/** One call after another of one target, and how the last one goes. */
export class ToolCall {
  readonly state: Signal<CallState> = signal<CallState>({ kind: 'idle' });
  readonly #target: string;
  readonly #isAction: boolean;
  #abort = new AbortController();

  constructor(target: string, isAction: boolean) {
    this.#target = target;
    this.#isAction = isAction;
  }

  /** `read` may throw: then nothing is called. */
  async start(read: () => Record<string, unknown>): Promise<void> {
    this.#abort = new AbortController();
    try {
      const args = read();
      this.state.value = { kind: 'running' };
      const options = {
        timeoutMs: TIMEOUT_MS,
        signal: this.#abort.signal,
        onProgress: (progress: CallProgress) => {
          if (this.state.peek().kind === 'running') this.state.value = { kind: 'running', progress };
        },
      };
      this.state.value = this.#isAction
        ? ended(await relay().invoke(this.#target, args, { ...options, wait: true }))
        : { kind: 'done', text: shown(await relay().call(this.#target, args, options)) };
    } catch (error) {
      this.state.value = {
        kind: 'failed',
        message: (error as Error).message,
        ...(isRelayError(error) ? { next: error.next } : {}),
      };
    }
  }

  /** Ends a call, and tells the callee; of an action only the waiting: it goes on. */
  cancel(): void {
    this.#abort.abort();
  }
}

function ended({ invocationId: invocation, status, result, error }: InvocationInfo): CallState {
  if (status === 'completed') return { kind: 'done', text: shown(result), invocation };
  const lead = status === 'unknown' ? 'Nobody can tell whether it was performed. ' : '';
  return {
    kind: 'failed',
    message: `${lead}${error?.message ?? ''}`,
    ...(error?.next === undefined ? {} : { next: error.next }),
    invocation,
  };
}

export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);
