import type { AgentInfo, HeldInfo, HistoryMessage, PromptInfo } from '@agent-relay/sdk';
import { describe, expect, it } from 'vitest';
import type { StandStill } from '../../model/waiting.ts';
import { inOrderOfUrgency, isAmong } from './urgency.ts';
import { type SingleItem, singlesOf } from './waiting-item.ts';

const inWords = (time: number) => `minute ${time}`;
let ids = 0;
const base = (since: number) => ({ id: `i${++ids}`, title: '', text: '', since });
const prompt = (since = 0): SingleItem => ({ ...base(since), kind: 'prompt', prompt: {} as PromptInfo });
const consent = (since = 0): SingleItem => ({
  ...base(since),
  kind: 'consent',
  question: {} as HistoryMessage,
  caller: 'Alice',
});
const question = (since = 0): SingleItem => ({
  ...base(since),
  kind: 'question',
  question: {} as HistoryMessage,
});
const stopped = (code: string, since = 0, more: Partial<StandStill> = {}): SingleItem => {
  const agent = { name: `Agent${ids}` } as AgentInfo;
  return {
    ...base(since),
    kind: 'stopped',
    stopped: { agent, code, reason: code, text: '', advice: '', since, ...more },
  };
};
const held = (since = 0): SingleItem => ({ ...base(since), kind: 'held', messages: [{} as HeldInfo] });

describe('what waits', () => {
  it('is in the order of what can be allowed, asked, helped, and can wait; in each the oldest first', () => {
    const inOrder = [
      consent(1),
      prompt(2),
      stopped('approval_dialog', 3),
      question(1),
      question(9),
      stopped('signed_out', 5),
      stopped('usage_limit', 1),
      stopped('starting', 2),
      held(0),
    ];
    const shown = inOrderOfUrgency(inOrder.toReversed(), inWords);
    expect(shown.map(({ id }) => id)).toEqual(inOrder.map(({ id }) => id));
  });

  it('is one item for many agents that stand still for one reason, in the place of the first', () => {
    const until = 40;
    const many = Array.from({ length: 200 }, () => stopped('usage_limit', 1, { until }));
    const others = [question(), prompt(), held(), held()];
    const shown = inOrderOfUrgency([...many, ...others], inWords);
    expect(shown.map(({ kind }) => kind)).toEqual(['prompt', 'question', 'group', 'held', 'held']);
    const [, , group] = shown;
    expect(group?.title).toBe('200 agents: usage_limit until minute 40');
    expect(group && singlesOf(group)).toHaveLength(200);
    expect(group && isAmong(group, many[7]?.id ?? '')).toBe(true);
    const [sooner] = inOrderOfUrgency([...many, stopped('usage_limit', 2, { until: 39 })], inWords);
    expect(sooner?.title).toBe('201 agents: usage_limit, the first until minute 39');
  });

  it('never groups what has to be read one by one', () => {
    const each = [prompt, consent, question, () => stopped('approval_dialog')].flatMap((make) => [
      make(),
      make(),
      make(),
    ]);
    expect(inOrderOfUrgency(each, inWords)).toHaveLength(12);
  });
});
