import type { Message } from '@agent-relay/sdk';
import { describe, expect, it } from 'vitest';
import { type Conversation, conversationAt, isIn, placeOf, queryOf } from './place.ts';

const message = (fields: Partial<Message>): Message => ({
  seq: 1,
  id: 'm1',
  from: 'Alice',
  to: 'petra',
  kind: 'free',
  importance: 'normal',
  content: 'Hello',
  ts: 1,
  ...fields,
});
const at = (place: 'channel' | 'direct' | 'between' | 'activity' | 'overview', subject = '') =>
  conversationAt({ project: 'shop', place, subject });

const toMe = message({});
const toBob = message({ to: 'Bob' });
const inChannel = message({ to: '#release', channel: '#release' });
const inGroup = message({ to: 'Bob, petra', group: ['Alice', 'Bob', 'petra'] });
const toAll = message({ to: '*' });

describe('a conversation', () => {
  it.each([
    ['direct', 'Alice', [toMe], { participants: ['petra', 'Alice'] }],
    ['direct', 'Alice,Bob', [inGroup], { participants: ['petra', 'Alice', 'Bob'] }],
    ['between', 'Alice,Bob', [toBob], { participants: ['Alice', 'Bob'] }],
    ['channel', 'release', [inChannel], { channel: '#release' }],
    ['activity', '', [toMe, toBob, inChannel, inGroup, toAll], {}],
  ] as const)('at %s/%s has its messages and no others', (place, subject, own, query) => {
    const conversation = at(place, subject) as Conversation;
    const all = [toMe, toBob, inChannel, inGroup, toAll];
    expect(all.filter((one) => isIn(one, conversation, 'petra'))).toEqual(own);
    expect(queryOf(conversation, 'petra')).toEqual(query);
  });

  it('does not exist without a name', () => {
    expect([at('overview'), at('direct'), at('channel'), at('between')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it.each([
  [toMe, 'direct', 'Alice'],
  [toBob, 'between', 'Alice,Bob'],
  [inChannel, 'channel', 'release'],
  [inGroup, 'direct', 'Alice,Bob'],
  [toAll, 'activity', ''],
  [message({ from: 'petra', to: 'other:Alice' }), 'activity', ''],
  [message({ from: 'petra', to: 'petra' }), 'direct', 'petra'],
])('a message is found in its place', (one, place, subject) => {
  expect(placeOf(one, 'petra')).toEqual({ place, subject });
});
