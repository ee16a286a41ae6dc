import { expect, it } from 'vitest';
import { senderOf } from './sender.ts';

it.each([
  ['Alice', { from: 'Alice' }],
  ['shop:Alice', { from: 'Alice', fromProject: 'shop' }],
  ['pm (unverified)', { from: 'pm', unverified: true }],
  ['shop:pm (unverified)', { from: 'pm', fromProject: 'shop', unverified: true }],
] as const)('a sender is shown as %s', (shown, message) => {
  expect(senderOf(message)).toBe(shown);
});
