import { quotedText, senderOf } from '@agent-relay/protocol';
import type { Message, SendResult } from '@agent-relay/sdk';
import { z } from 'zod';
import { reply } from '../../framework/result.ts';
import { ACTS, type Call, defineTool } from '../../framework/tool.ts';
import type { Participant } from '../../participant/participant.ts';

/** Clients give up on a call that is silent for long. */
const PROGRESS_MS = 3000;

const input = z.strictObject({
  to: z.string().describe('Agent name, #channel, * for everyone, or project:name'),
  message: z.string(),
  thread: z.string().optional().describe('Thread id, to keep a conversation together'),
  await_response: z.boolean().default(false).describe('Wait for the reply'),
  timeout_ms: z.int().min(1).max(86_400_000).default(30_000).describe('How long to wait'),
});

export const relaySend = defineTool({
  name: 'relay_send',
  description:
    'Send a message to an agent, a channel or everyone. It is stored before this returns; an agent that is offline gets it later. With await_response, returns the reply.',
  input,
  annotations: ACTS,
  handler: async (participant, { to, message, thread, await_response, timeout_ms }, call) => {
    const options = thread === undefined ? {} : { thread };
    if (await_response) {
      const answer = await awaitResponse(
        participant,
        to,
        message,
        { ...options, timeoutMs: timeout_ms },
        call,
      );
      return reply(`Response from ${senderOf(answer)}: ${quotedText(answer.content)}`, { response: answer });
    }
    const relay = await participant.relay();
    const sent = await relay.send(to, message, options);
    return reply(outcome(to, sent), { ...sent });
  },
});

/** Sends and waits; the client is told every few seconds that it still does. */
async function awaitResponse(
  participant: Participant,
  to: string,
  message: string,
  options: { thread?: string; timeoutMs: number },
  call: Call,
): Promise<Message> {
  const relay = await participant.relay();
  const startedAt = performance.now();
  const total = options.timeoutMs / 1000;
  const timer = setInterval(() => {
    const waited = Math.round((performance.now() - startedAt) / 1000);
    // A client that cannot be told is gone, and then the call is cancelled anyway.
    call.progress(waited, total, `Waiting for ${to}`).catch(() => clearInterval(timer));
  }, PROGRESS_MS);
  try {
    return await relay.sendAndWait(to, message, { ...options, signal: call.signal });
  } finally {
    clearInterval(timer);
  }
}

/** What became of the message, as far as it is known now. */
function outcome(to: string, { recipients, offline, held }: SendResult): string[] {
  if (held !== undefined) return [`The message to ${to} is held until a person releases it: ${held}`];
  const sent = `Message sent to ${to}`;
  if (offline.length === 0) return [sent];
  const who = recipients === 1 ? offline[0] : `${offline.length} of ${recipients} (${offline.join(', ')})`;
  return [sent, `Offline now: ${who}. It is kept and delivered when they return.`];
}
