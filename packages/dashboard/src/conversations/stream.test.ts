import type { HistoryMessage, RelayEvent } from '@agent-relay/sdk';
import { effect } from '@preact/signals';
import { expect, it } from 'vitest';
import { Stream } from './stream.ts';

/** Drawing a few messages takes this long on a busy page, so that a flood is not drawn within a second. */
const DRAWING_MS = 400;
const FIRST = 40;
const SECOND = 16;

const created = (from: number, to: number): RelayEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const seq = from + index;
    const message = { id: `m${seq}`, seq, from: 'Bob', to: '#flood', channel: '#flood', content: `${seq}` };
    return { type: 'message.created', message: message as HistoryMessage };
  });

it('shows a flood without gaps on a page that is busy', async () => {
  let happen: (events: readonly RelayEvent[]) => void = () => undefined;
  const listen = (listener: typeof happen) => {
    happen = listener;
    return () => undefined;
  };
  const stream = new Stream({ kind: 'activity' }, { me: 'Ann', listen });
  let isSecondSent = false;
  const stop = effect(() => {
    if (stream.messages.value.length === 0) return;
    // More of them come as soon as the first ones are there.
    if (!isSecondSent) {
      isSecondSent = true;
      happen(created(FIRST + 1, FIRST + SECOND));
    }
    const until = performance.now() + DRAWING_MS;
    while (performance.now() < until);
  });
  happen(created(1, FIRST));
  const last = () => stream.messages.peek().at(-1)?.seq;
  await expect.poll(last, { timeout: 20_000 }).toBe(FIRST + SECOND);
  const shown = stream.messages.peek().map(({ seq }) => seq);
  expect(shown).toEqual(Array.from({ length: FIRST }, (_, index) => SECOND + 1 + index));
  stop();
  stream.close();
});
