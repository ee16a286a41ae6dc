import {
  type ConsentOutcome,
  type HistoryMessage,
  isRelayError,
  type PromptAnswer,
  type PromptInfo,
} from '@agent-relay/sdk';
import { relayNow } from '../../connection/connection.ts';
import { model } from '../../model/current.ts';
import { DONE } from '../../model/waiting.ts';

/** What a person can do about what waits for them. Each resolves when the daemon has confirmed it, with the words for it. */

/** Items that this page settles: they go without a word about their end. */
export const settledHere = new Set<string>();

async function settling<T>(id: string, work: () => Promise<T>): Promise<T> {
  settledHere.add(id);
  try {
    return await work();
  } catch (error) {
    settledHere.delete(id);
    throw error;
  }
}

export const answerQuestion = ({ id, from }: HistoryMessage, text: string): Promise<string> =>
  settling(id, async () => {
    await relayNow().reply(id, text);
    await relayNow().read(id, { path: 'pull' });
    return `Answered ${from}.`;
  });

export const markDone = ({ id }: HistoryMessage): Promise<void> =>
  settling(id, async () => {
    await relayNow().react(id, DONE);
    await relayNow().read(id, { path: 'pull' });
  });

export async function undoDone({ id }: HistoryMessage): Promise<void> {
  await relayNow().unreact(id, DONE);
  settledHere.delete(id);
}

/** Marks a message as read, which is all it takes if it asks nothing. */
export const noteMention = (message: HistoryMessage): Promise<void> =>
  settling(message.id, async () => {
    relayNow();
    await model.peek()?.markRead([message]);
  });

const OUTCOMES: Record<ConsentOutcome['call'], string> = {
  denied: 'Denied the call.',
  running: 'Allowed the call. It is running.',
  finished: 'Allowed the call. It has finished.',
  failed: 'Allowed the call. It failed',
};

export const decideCall = ({ id }: HistoryMessage, answer: PromptAnswer): Promise<string> =>
  settling(id, async () => {
    try {
      const { call, error } = await relayNow().consents.answer(id, answer);
      await relayNow().read(id, { path: 'pull' });
      return call === 'failed'
        ? `${OUTCOMES.failed}: ${error?.message ?? 'no reason given.'}`
        : OUTCOMES[call];
    } catch (error) {
      if (isRelayError(error, 'CallEnded'))
        throw new Error('This call has ended. Nothing was allowed or denied.');
      throw error;
    }
  });

/** Answers the prompt the person sees, unless it has changed. */
export const answerPrompt = (prompt: PromptInfo, answer: PromptAnswer): Promise<string> =>
  settling(prompt.digest, async () => {
    try {
      await relayNow().prompts.answer(prompt, answer);
      return answer === 'allow'
        ? `Allowed ${prompt.agent}, once. Its CLI has the answer.`
        : `Denied ${prompt.agent}. Its CLI has the answer.`;
    } finally {
      await model.peek()?.readPrompts();
    }
  });

export async function settleHeld(ids: string[], how: 'release' | 'discard'): Promise<string> {
  try {
    const settled = await relayNow().held[how](ids);
    const what = how === 'release' ? 'Delivered' : 'Discarded';
    return `${what} ${counted(settled, 'message')}.`;
  } finally {
    await model.peek()?.readHeld();
  }
}

export const counted = (count: number, what: string): string =>
  `${count.toLocaleString()} ${count === 1 ? what : `${what}s`}`;
