import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Message, Reason, ReasonCode } from '@agent-relay/protocol';
import type { Logger } from './log/log.ts';

/** What to run when an agent asks a person something, or waits until a person does something. */
export interface QuestionHook {
  /** A program and its arguments; it gets what happened as JSON on its standard input. */
  command?: string[] | undefined;
  /** Gets the same as a JSON POST. */
  webhook?: string | undefined;
}

const HOOK_MS = 10_000;
/** A program that does not exit at the time limit is killed this fraction of it later. */
const GRACE = 0.2;
/** Maximum number of running and queued notifications. */
const MAX_CALLS = 4;
const MAX_WAITING = 100;

/** What a person is notified of. */
type Call =
  | { event: 'question'; project: string; message: Message }
  | { event: 'waiting'; project: string; agent: string; reason: Reason };

/** Dialogs and limits. Other reasons pass by themselves, or cannot be judged remotely. */
const TOLD: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'approval_dialog',
  'usage_limit',
  'signed_out',
  'context_full',
  'hook_not_trusted',
]);

/**
 * Notifies the person with a command, a webhook or both. A failed hook is logged; the message is stored
 * anyway. Few hooks run at once, however many questions there are; when too many are queued, the person is not notified of
 * the rest.
 */
export class QuestionNotifier {
  readonly #hook: QuestionHook;
  readonly #log: Logger;
  readonly #limitMs: number;
  readonly #waiting: Call[] = [];
  #running = 0;
  #dropped = 0;

  constructor(hook: QuestionHook, log: Logger, limitMs = HOOK_MS) {
    this.#hook = hook;
    this.#log = log;
    this.#limitMs = limitMs;
  }

  call(call: Call): void {
    if (call.event === 'waiting' && !TOLD.has(call.reason.code)) return;
    if (!this.#hook.command && !this.#hook.webhook) return;
    if (this.#running >= MAX_CALLS && this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(call);
    if (this.#running < MAX_CALLS) void this.#work();
  }

  /** Handles queued questions until none is left. */
  async #work(): Promise<void> {
    this.#running += 1;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#call(next);
    this.#running -= 1;
    if (this.#running > 0 || this.#dropped === 0) return;
    this.#log.warn(
      { questions: this.#dropped },
      'too many questions at once; the hook was not called for some',
    );
    this.#dropped = 0;
  }

  async #call(call: Call): Promise<void> {
    const { command, webhook } = this.#hook;
    const text = JSON.stringify(call);
    const calls = [
      ...(command ? [runCommand(command, text, this.#limitMs)] : []),
      ...(webhook ? [postWebhook(webhook, text, this.#limitMs)] : []),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      if (outcome.status === 'rejected')
        this.#log.warn({ err: outcome.reason, ...subjectOf(call) }, 'the question hook failed');
    }
  }
}

const subjectOf = (call: Call) =>
  call.event === 'question' ? { messageId: call.message.id } : { agent: call.agent };

async function runCommand([program = '', ...args]: string[], input: string, limitMs: number): Promise<void> {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], timeout: limitMs });
  const end = setTimeout(() => child.kill('SIGKILL'), limitMs * (1 + GRACE));
  // A program that does not read its input is not at fault.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code, signal] = await once(child, 'exit').finally(() => clearTimeout(end));
  if (code !== 0) throw new Error(`${program} ended with ${signal ?? `exit code ${code}`}`);
}

async function postWebhook(url: string, body: string, limitMs: number): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(limitMs),
    redirect: 'error',
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}
