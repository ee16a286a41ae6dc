import { quotedText, senderOf } from '@agent-relay/protocol';
import { isRelayError, type Message, RelayError, type SendResult } from '@agent-relay/sdk';
import { z } from 'zod';
import { reply } from '../../framework/result.ts';
import { sendingNote } from '../../framework/sent.ts';
import { shownMessage } from '../../framework/shown-message.ts';
import { ACTS, type Call, defineTool } from '../../framework/tool.ts';
import type { Participant } from '../../participant/participant.ts';
import { relayWording } from './wording.ts';

/** Clients give up on a call that is silent for too long. */
const PROGRESS_MS = 3000;

const input = z.strictObject({
  to: z.string().describe('Agent name, #channel, * for everyone, or project:name'),
  message: z.string(),
  thread: z.string().optional().describe('Thread id for related messages'),
  await_response: z.boolean().default(false).describe('Wait for the reply'),
  timeout_ms: z.int().min(1).max(86_400_000).default(30_000).describe('How long to wait for the reply'),
});

export const relaySend = defineTool({
  name: 'relay_send',
  description:
    'Send a message to an agent, a channel or everyone. It is stored before this returns; offline agents get it later. With await_response, waits for the reply and returns it.',
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
      return reply(`Response from ${senderOf(answer)}: ${quotedText(answer.content)}`, {
        response: shownMessage(answer, relayWording, participant.name),
      });
    }
    const relay = await participant.relay();
    const sent = await relay.send(to, message, options);
    const note = sendingNote(sent);
    return reply(outcome(to, sent, note), { ...sent, note });
  },
});

/** Sends and waits, with progress to the client every few seconds. */
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
    // If progress cannot be sent, the client is gone and the call is cancelled anyway.
    call.progress(waited, total, `Waiting for ${to}`).catch(() => clearInterval(timer));
  }, PROGRESS_MS);
  try {
    return await relay.sendAndWait(to, message, { ...options, signal: call.signal });
  } catch (error) {
    if (!isRelayError(error, 'Timeout') || error.details?.messageId === undefined) throw error;
    throw unanswered(error);
  } finally {
    clearInterval(timer);
  }
}

/** Sending it again would ask twice. */
const unanswered = ({ message, details }: RelayError): RelayError =>
  new RelayError('Timeout', message, {
    next: 'Do not send it again: it is stored, and the reply will arrive in relay_inbox.',
    retryable: false,
    ...(details && { details }),
  });

/** The status of the message so far. */
function outcome(to: string, { held }: SendResult, note: string | undefined): string[] {
  if (held !== undefined) return [`The message to ${to} is held until a person releases it: ${held}`];
  return [`Message sent to ${to}`, ...(note === undefined ? [] : [note])];
}
