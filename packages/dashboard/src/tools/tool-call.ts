import { type CallProgress, safeText } from '@agent-relay/protocol';
import type { InvocationInfo } from '@agent-relay/sdk';
import { type Signal, signal } from '@preact/signals';
import { relayNow } from '../connection/connection.ts';
import type { Problem } from '../parts/trouble.tsx';

const TIMEOUT_MS = 600_000;

export type CallState =
  | { kind: 'idle' }
  | { kind: 'running'; progress?: CallProgress }
  | { kind: 'done'; text: string; invocation?: string }
  | { kind: 'failed'; problem: Problem; invocation?: string };

/** Calls of one target, one at a time, and the state of the latest. */
export class ToolCall {
  readonly state: Signal<CallState> = signal<CallState>({ kind: 'idle' });
  readonly #target: string;
  readonly #isAction: boolean;
  #abort = new AbortController();

  constructor(target: string, isAction: boolean) {
    this.#target = target;
    this.#isAction = isAction;
  }

  /** If `read` throws, nothing is called. */
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
        ? ended(await relayNow().invoke(this.#target, args, { ...options, wait: true }))
        : { kind: 'done', text: shown(await relayNow().call(this.#target, args, options)) };
    } catch (error) {
      this.state.value = { kind: 'failed', problem: error as Problem };
    }
  }

  /** Cancels a call. For an action it only stops waiting: the action continues. */
  cancel(): void {
    this.#abort.abort();
  }
}

function ended({ invocationId: invocation, status, result, error }: InvocationInfo): CallState {
  if (status === 'completed') return { kind: 'done', text: shown(result), invocation };
  const lead = status === 'unknown' ? 'It is unknown whether it was performed. ' : '';
  return { kind: 'failed', problem: { ...error, message: `${lead}${error?.message ?? ''}` }, invocation };
}

export const shown = (value: unknown): string =>
  safeText(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''));
