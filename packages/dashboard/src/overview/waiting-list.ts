import { computed } from '@preact/signals';
import { welcome } from '../connection/connection.ts';
import { agents, held, mine } from '../model/project.ts';
import { openQuestions, standingStill } from '../model/waiting.ts';
import { now } from '../parts/time.tsx';

/** What waits for the person, in the order in which it is shown. */
export const questions = computed(() => openQuestions(mine.value, welcome.value?.agent?.name ?? ''));
export const stopped = computed(() => standingStill(agents.value.values(), now.value));

export const waitingCount = computed(
  () => questions.value.length + stopped.value.length + heldConversations.value.length,
);

/** Held messages of the same two are one decision. */
export const heldConversations = computed(() => {
  const byPair = new Map<string, typeof held.value>();
  for (const message of held.value) {
    const pair = [message.from, message.to].sort().join('\n');
    byPair.set(pair, [...(byPair.get(pair) ?? []), message]);
  }
  return [...byPair.values()];
});
