import type { Exchange } from './app-server-proxy.ts';
import { at, type RpcMessage, textAt } from './rpc.ts';

const OPENS_THREAD = ['thread/start', 'thread/resume', 'thread/fork'];

/** The thread shown to the person, and its state. */
export class ShownThread {
  #id: string | undefined;
  /** The person's threads; others generate titles and the like. */
  readonly #own = new Set<string>();
  readonly #statuses = new Map<string, unknown>();
  readonly #turns = new Map<string, string>();

  get id(): string | undefined {
    return this.#id;
  }

  /** Its current turn. */
  get turn(): string | undefined {
    return this.#id === undefined ? undefined : this.#turns.get(this.#id);
  }

  get isActive(): boolean {
    return this.#status('type') === 'active';
  }

  /** Waiting for the person's answer. */
  get asks(): boolean {
    const flags = this.#status('activeFlags');
    return Array.isArray(flags) && flags.length > 0;
  }

  /** The terminal shows a thread when it opens it or starts a turn in it. */
  exchanged({ request: { method = '', params }, answer: { result } }: Exchange): void {
    const opened = OPENS_THREAD.includes(method) ? textAt(result, 'thread', 'id') : undefined;
    if (opened !== undefined) {
      const isOwn =
        at(result, 'thread', 'ephemeral') === false && at(result, 'thread', 'parentThreadId') === null;
      if (isOwn) this.#show(opened, at(result, 'thread', 'status'));
      return;
    }
    const began = method === 'turn/start' ? textAt(params, 'threadId') : undefined;
    if (began !== undefined && this.#own.has(began)) this.#id = began;
  }

  notified({ method, params }: RpcMessage): void {
    const thread = textAt(params, 'threadId');
    if (thread === undefined || !this.#own.has(thread)) return;
    if (method === 'thread/status/changed') this.#statuses.set(thread, at(params, 'status'));
    const turn = textAt(params, 'turn', 'id');
    if (method === 'turn/started' && turn !== undefined) this.#turns.set(thread, turn);
    if (method === 'turn/completed') this.#turns.delete(thread);
  }

  #show(id: string, status: unknown): void {
    this.#id = id;
    this.#own.add(id);
    this.#statuses.set(id, status);
  }

  #status(key: string): unknown {
    return this.#id === undefined ? undefined : at(this.#statuses.get(this.#id), key);
  }
}
