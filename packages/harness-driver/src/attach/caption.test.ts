import { expect, it } from 'vitest';
import { captionOf } from './caption.ts';

const held = { agent: 'Tests', mode: 'drive', isHeld: true } as const;

it.each([
  [80, ' Tests · driving · messages held · Ctrl-] d detaches '],
  [45, ' Tests · messages held · Ctrl-] d detaches '],
  [40, ' Tests · held · Ctrl-] d detaches '],
  [30, ' held · Ctrl-] d detaches '],
  [10, ' held · Ct'],
])('says in %i columns that messages are held and how to detach', (columns, caption) => {
  expect(captionOf(held, columns)).toBe(caption);
});

it('leaves out what there is no room for, not how to detach', () => {
  const watching = { agent: 'backend-tests', mode: 'watch', isHeld: false } as const;
  expect(captionOf(watching, 80)).toBe(' backend-tests · watching · Ctrl-] d detaches ');
  expect(captionOf(watching, 40)).toBe(' watching · Ctrl-] d detaches ');
});

it('says who types, where there is room', () => {
  const watching = { agent: 'Bea', mode: 'watch', writer: 'terminal', isHeld: false } as const;
  expect(captionOf(watching, 80)).toBe(
    ' Bea · watching · someone types in its own terminal · Ctrl-] d detaches ',
  );
  expect(captionOf(watching, 40)).toBe(' Bea · watching · Ctrl-] d detaches ');
});
