import type { HeldInfo, HistoryMessage } from '@agent-relay/sdk';
import { computed, signal } from '@preact/signals';
import { welcome } from '../../connection/connection.ts';
import { agents, held, mine, prompts } from '../../model/project.ts';
import { isConsent, openQuestions, type StandStill, standingStill } from '../../model/waiting.ts';
import { now } from '../../parts/time.tsx';
import type { Place } from '../../routes.ts';
import { hasTerminal } from '../../terminals/live-terminals.ts';

/** Something that waits for the person. */
export type WaitingItem = { id: string; title: string; text: string } & (
  | { kind: 'question' | 'consent'; question: HistoryMessage }
  | { kind: 'stopped'; stopped: StandStill }
  | { kind: 'held'; messages: HeldInfo[] }
);

const questions = computed(() => openQuestions(mine.value, welcome.value?.agent?.name ?? '', now.value));
export const stopped = computed(() => standingStill(agents.value.values(), now.value));

/** Held messages between the same two agents need one decision. */
const heldConversations = computed(() => {
  const byPair = new Map<string, typeof held.value>();
  for (const message of held.value) {
    const pair = [message.from, message.to].sort().join('\n');
    byPair.set(pair, [...(byPair.get(pair) ?? []), message]);
  }
  return byPair;
});

/** Everything that waits for the person, in display order. */
export const waitingItems = computed<WaitingItem[]>(() => [
  ...questions.value.map((question): WaitingItem => {
    const { id, from, content } = question;
    return isConsent(question)
      ? { kind: 'consent', id, title: 'A call needs your consent', text: content, question }
      : { kind: 'question', id, title: `${from} asks`, text: content, question };
  }),
  ...stopped.value.map((one): WaitingItem => {
    const { agent, code, text } = one;
    // One item per agent and reason; `since` may differ between clocks.
    return {
      kind: 'stopped',
      id: `${agent.name} ${code}`,
      title: `${agent.name} waits for you`,
      text,
      stopped: one,
    };
  }),
  ...[...heldConversations.value].map(([pair, messages]): WaitingItem => {
    const title = `Messages between ${pair.replace('\n', ' and ')} are held`;
    return { kind: 'held', id: `held ${pair}`, title, text: messages[0]?.reason ?? '', messages };
  }),
]);

/** What is shown down to the end of an item: while it stays the same, so do the item and its place. */
export function shownUpTo(id: string): string {
  const items = waitingItems.value;
  const shown = items.slice(0, items.findIndex((item) => item.id === id) + 1);
  const promptOf = (item: WaitingItem) =>
    item.kind === 'stopped' ? prompts.value.get(item.stopped.agent.name)?.digest : undefined;
  return shown.map((item) => `${item.id} ${promptOf(item) ?? item.text}`).join('\n');
}

export const waitingCount = computed(() => waitingItems.value.length);

/** The item the person followed a link to; it is shown in full. */
export const wantedItem = signal<string | undefined>(undefined);

/** Where the person can do something about it. */
export function placeOfItem(item: WaitingItem): [place: Place, subject: string] {
  if (item.kind === 'question') return ['message', item.id];
  if (item.kind !== 'stopped') return ['overview', ''];
  const { agent } = item.stopped;
  if (prompts.value.has(agent.name)) return ['overview', ''];
  return [hasTerminal(agent) ? 'terminal' : 'agent', agent.name];
}
