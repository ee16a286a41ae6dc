import { readConsentQuestion } from '@agent-relay/protocol';
import { computed, signal } from '@preact/signals';
import { welcome } from '../../connection/connection.ts';
import { agents, held, mine, prompts, unread } from '../../model/project.ts';
import { isConsent, openQuestions, standingStill, unreadMentions } from '../../model/waiting.ts';
import { now, timeOfEnd } from '../../parts/time.tsx';
import type { Place } from '../../routes.ts';
import { hasTerminal } from '../../terminals/live-terminals.ts';
import { inOrderOfUrgency } from './urgency.ts';
import { agentOf, type SingleItem, singlesOf, type WaitingItem } from './waiting-item.ts';

const me = (): string => welcome.value?.agent?.name ?? '';

const questions = computed(() =>
  openQuestions(mine.value, me(), now.value).map((question): SingleItem => {
    const { id, from, content, ts: since } = question;
    if (!isConsent(question))
      return { kind: 'question', id, title: `${from} asks`, text: content, since, question };
    const { caller, text } = readConsentQuestion(content);
    return { kind: 'consent', id, title: 'A call needs your consent', text, since, question, caller };
  }),
);

const mentions = computed(() =>
  unreadMentions(unread.value.values(), me()).map((question): SingleItem => {
    const { id, from, content, ts: since } = question;
    return { kind: 'mention', id, title: `${from} mentions you`, text: content, since, question };
  }),
);

/** One item per agent and reason: `since` may differ between clocks. */
const idOf = (agent: string, code: string): string => `${agent} ${code}`;

/** What an agent asks for is shown, whatever its paths say of it meanwhile. */
const permissions = computed(() =>
  [...prompts.value.values()].map((prompt): SingleItem => {
    const { agent, text, since } = prompt;
    const id = idOf(agent, 'approval_dialog');
    return { kind: 'prompt', id, title: `${agent} asks for permission`, text, since, prompt };
  }),
);

const stopped = computed(() =>
  standingStill(agents.value.values(), now.value)
    .filter(({ agent, code }) => code !== 'approval_dialog' || !prompts.value.has(agent.name))
    .map((one): SingleItem => {
      const { agent, code, text, since } = one;
      const title = `${agent.name} waits for you`;
      return { kind: 'stopped', id: idOf(agent.name, code), title, text, since, stopped: one };
    }),
);

/** Held messages between the same two agents need one decision. */
const heldConversations = computed(() => {
  const byPair = new Map<string, typeof held.value>();
  for (const message of held.value) {
    const pair = [message.from, message.to].sort().join('\n');
    byPair.set(pair, [...(byPair.get(pair) ?? []), message]);
  }
  return [...byPair].map(([pair, messages]): SingleItem => {
    const title = `Messages between ${pair.replace('\n', ' and ')} are held`;
    const [{ reason = '', heldAt: since = 0 } = {}] = messages;
    return { kind: 'held', id: `held ${pair}`, title, text: reason, since, messages };
  });
});

/** Everything that waits for the person, the most urgent first. */
export const waitingItems = computed<WaitingItem[]>(() =>
  inOrderOfUrgency(
    [permissions, questions, mentions, stopped, heldConversations].flatMap(({ value }) => value),
    (time) => timeOfEnd(time, now.value),
  ),
);

export const waitingCount = computed(() => waitingItems.value.length);

/** What waits, by the agent that cannot continue without the person. */
export const waitingOf = computed<ReadonlyMap<string, SingleItem[]>>(() => {
  const byAgent = new Map<string, SingleItem[]>();
  for (const item of waitingItems.value.flatMap(singlesOf)) {
    const agent = agentOf(item);
    if (agent !== undefined) byAgent.set(agent, [...(byAgent.get(agent) ?? []), item]);
  }
  return byAgent;
});

/** What an item shows: while it stays the same, so does what its buttons decide. */
export const contentOf = (item: WaitingItem): string =>
  `${item.id} ${item.kind === 'prompt' ? item.prompt.digest : item.text}`;

/** The item the person followed a link to; it is shown in full. */
export const wantedItem = signal<string | undefined>(undefined);

/** Where the person can do something about it. */
export function placeOfItem(item: WaitingItem): [place: Place, subject: string] {
  if (item.kind === 'question' || item.kind === 'mention') return ['message', item.id];
  if (item.kind !== 'stopped') return ['overview', ''];
  const { agent } = item.stopped;
  return [hasTerminal(agent) ? 'terminal' : 'agent', agent.name];
}
