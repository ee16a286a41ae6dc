import type { HistoryMessage, PromptInfo } from '@agent-relay/sdk';
import { computed, signal } from '@preact/signals';
import { type SingleItem, singlesOf, type WaitingItem } from './waiting-item.ts';
import { waitingItems } from './waiting-list.ts';

/** The ids of the items the person has chosen; undefined while they do not select. */
export const selection = signal<ReadonlySet<string> | undefined>(undefined);

/** What can be done with several at once. Allowing is not: each has to be read. */
interface Together {
  questions: HistoryMessage[];
  calls: HistoryMessage[];
  prompts: PromptInfo[];
  /** Ids of held messages. */
  held: string[];
}

const ALONE: ReadonlySet<SingleItem['kind']> = new Set(['stopped', 'mention']);

/** Whether something can be done with it here, together with others. */
export const isSelectable = (item: WaitingItem): boolean =>
  singlesOf(item).every(({ kind }) => !ALONE.has(kind));

export const selectable = computed(() => waitingItems.value.filter(isSelectable));

/** What was chosen and still waits. */
export const chosenItems = computed(() => selectable.value.filter(({ id }) => selection.value?.has(id)));

export const together = computed<Together>(() => {
  const chosen: Together = { questions: [], calls: [], prompts: [], held: [] };
  for (const item of chosenItems.value.flatMap(singlesOf)) {
    if (item.kind === 'question') chosen.questions.push(item.question);
    else if (item.kind === 'consent') chosen.calls.push(item.question);
    else if (item.kind === 'prompt') chosen.prompts.push(item.prompt);
    else if (item.kind === 'held') chosen.held.push(...item.messages.map(({ id }) => id));
  }
  return chosen;
});

/** Chooses an item, or no longer; begins to select if the person did not. */
export function toggle(item: WaitingItem): void {
  if (!isSelectable(item)) return;
  const others = new Set(selection.value);
  if (!others.delete(item.id)) others.add(item.id);
  selection.value = others;
}
