import type { HistoryMessage, PromptAnswer, PromptInfo } from '@agent-relay/sdk';
import { relay } from '../../connection/connection.ts';
import { model } from '../../model/current.ts';
import { DONE } from '../../model/waiting.ts';

/** What a person can do about what waits for them. */

export async function answerQuestion({ id }: HistoryMessage, text: string): Promise<void> {
  await relay().reply(id, text);
  await relay().read(id, { path: 'pull' });
}

export async function markDone({ id }: HistoryMessage): Promise<void> {
  await relay().react(id, DONE);
  await relay().read(id, { path: 'pull' });
}

export const undoDone = ({ id }: HistoryMessage): Promise<unknown> => relay().unreact(id, DONE);

/** The relay takes these words as the answer to a call that needs consent. */
export const decideCall = (question: HistoryMessage, answer: PromptAnswer): Promise<void> =>
  answerQuestion(question, answer === 'allow' ? 'yes' : 'no');

/** Answers the prompt the person sees, unless it has changed. */
export async function answerPrompt(prompt: PromptInfo, answer: PromptAnswer): Promise<void> {
  try {
    await relay().prompts.answer(prompt, answer);
  } finally {
    await model.value?.readPrompts();
  }
}

export async function settleHeld(ids: string[], how: 'release' | 'discard'): Promise<number> {
  const settled = await relay().held[how](ids);
  await model.value?.readHeld();
  return settled;
}
