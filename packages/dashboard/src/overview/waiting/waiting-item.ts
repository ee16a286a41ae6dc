import type { HeldInfo, HistoryMessage, PromptInfo } from '@agent-relay/sdk';
import type { StandStill } from '../../model/waiting.ts';

/** One thing that waits for the person. */
export type SingleItem = { id: string; title: string; text: string; since: number } & (
  | { kind: 'prompt'; prompt: PromptInfo }
  | { kind: 'consent'; question: HistoryMessage; caller: string }
  | { kind: 'question' | 'mention'; question: HistoryMessage }
  | { kind: 'stopped'; stopped: StandStill }
  | { kind: 'held'; messages: HeldInfo[] }
);

/** Several that wait for the same reason. */
export interface Group {
  kind: 'group';
  id: string;
  title: string;
  text: string;
  since: number;
  members: SingleItem[];
}

export type WaitingItem = SingleItem | Group;

export const singlesOf = (item: WaitingItem): SingleItem[] => (item.kind === 'group' ? item.members : [item]);

/** The agent that cannot continue without the person. */
export function agentOf(item: SingleItem): string | undefined {
  switch (item.kind) {
    case 'prompt':
      return item.prompt.agent;
    case 'consent':
      return item.caller;
    case 'question':
      return item.question.from;
    case 'stopped':
      return item.stopped.agent.name;
    case 'mention':
    case 'held':
      return undefined;
  }
}
