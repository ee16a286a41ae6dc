import { expect, it } from 'vitest';
import { waitingNote } from './waiting-note.ts';

it.each([
  [{ recipients: 1, offline: [] }, undefined],
  [{ recipients: 1, offline: ['Bob'] }, 'Offline: Bob. The message is delivered when it returns.'],
  [
    { recipients: 1, offline: [], idle: ['claude'] },
    'Idle: claude. It sees the message when it next checks its inbox.',
  ],
  [
    { recipients: 5, offline: ['Bob', 'Eve'], idle: ['Ann'] },
    'Offline: 2 of 5 (Bob, Eve). The message is delivered when they return. Idle: 1 of 5 (Ann). It sees the message when it next checks its inbox.',
  ],
  [
    { recipients: 2, offline: [], idle: ['Ann', 'Bob'] },
    'Idle: 2 of 2 (Ann, Bob). They see the message when they next check their inbox.',
  ],
  [
    { recipients: 0, offline: [], notInChannel: ['Bob'] },
    'Mentioned, but not in the channel: Bob. It does not get the message.',
  ],
  [
    { recipients: 1, offline: ['Ann'], notInChannel: ['Bob', 'Eve'] },
    'Offline: Ann. The message is delivered when it returns. Mentioned, but not in the channel: Bob, Eve. They do not get the message.',
  ],
])('%o is described as %s', (sent, note) => {
  expect(waitingNote(sent)).toBe(note);
});
