import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Message } from '@agent-relay/protocol';
import type { Logger } from './log/log.ts';

/** What to run when an agent asks a person something. */
export interface QuestionHook {
  /** A program and its arguments; it gets the question as JSON on its standard input. */
  command?: string[] | undefined;
  /** Gets the question as a JSON POST. */
  webhook?: string | undefined;
}

const HOOK_MS = 10_000;
/** A program that does not exit at the time limit is killed this fraction of it later. */
const GRACE = 0.2;
/** Maximum number of running and queued notifications. */
const MAX_CALLS = 4;
const MAX_WAITING = 100;

interface Question {
  project: string;
  message: Message;
}

/**
 * Notifies the person with a command, a webhook or both. A failed hook is logged; the message is stored
 * anyway. Few hooks run at once, however many questions there are; when too many are queued, the person is not notified of
 * the rest.
 */
export class QuestionNotifier {
  readonly #hook: QuestionHook;
  readonly #log: Logger;
  readonly #limitMs: number;
  readonly #waiting: Question[] = [];
  #running = 0;
  #dropped = 0;

  constructor(hook: QuestionHook, log: Logger, limitMs = HOOK_MS) {
    this.#hook = hook;
    this.#log = log;
    this.#limitMs = limitMs;
  }

  call(project: string, message: Message): void {
    if (!this.#hook.command && !this.#hook.webhook) return;
    if (this.#running >= MAX_CALLS && this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push({ project, message });
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

  async #call({ project, message }: Question): Promise<void> {
    const { command, webhook } = this.#hook;
    const question = JSON.stringify({ event: 'question', project, message });
    const calls = [
      ...(command ? [runCommand(command, question, this.#limitMs)] : []),
      ...(webhook ? [postWebhook(webhook, question, this.#limitMs)] : []),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      if (outcome.status === 'rejected')
        this.#log.warn({ err: outcome.reason, messageId: message.id }, 'the question hook failed');
    }
  }
}

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
