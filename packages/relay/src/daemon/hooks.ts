import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Message } from '@agent-relay/protocol';
import type { Logger } from './log.ts';

/** What a person wants done when an agent asks them something. */
export interface QuestionHook {
  /** A program and its arguments; it gets the question as JSON on its standard input. */
  command?: string[] | undefined;
  /** Gets the question as a JSON POST. */
  webhook?: string | undefined;
}

const HOOK_MS = 10_000;

/** Calls the person: by a command, a webhook or both. A hook that fails is told in the log; the message is stored all the same. */
export async function callPerson(
  hook: QuestionHook,
  project: string,
  message: Message,
  log: Logger,
): Promise<void> {
  const question = JSON.stringify({ event: 'question', project, message });
  const calls = [
    ...(hook.command ? [runCommand(hook.command, question)] : []),
    ...(hook.webhook ? [postWebhook(hook.webhook, question)] : []),
  ];
  for (const outcome of await Promise.allSettled(calls)) {
    if (outcome.status === 'rejected')
      log.warn({ err: outcome.reason, messageId: message.id }, 'the hook for questions failed');
  }
}

async function runCommand([program = '', ...args]: string[], input: string): Promise<void> {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], timeout: HOOK_MS });
  // A program that does not read its input is not at fault.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${signal ?? `exit code ${code}`}`);
}

async function postWebhook(url: string, body: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(HOOK_MS),
    redirect: 'error',
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}
