import { stripVTControlCharacters } from 'node:util';
import type { PathState, ReasonInput, ReceivingPath } from '@agent-relay/protocol';
import { reason } from '@agent-relay/protocol';
import { afterEach, expect, it } from 'vitest';
import { type StateEvent, StateLines } from './state-lines.ts';

const { isTTY, columns } = process.stdout;
afterEach(() => Object.assign(process.stdout, { isTTY, columns }));

const path = (by: ReceivingPath, state: PathState, why?: ReasonInput): StateEvent => ({
  type: 'path.changed',
  agent: 'Ada',
  path: by,
  state,
  ...(why && { reason: reason(why.code, { ...(why.detail !== undefined && { detail: why.detail }) }) }),
});
/** Without the time. */
const shown = (events: StateEvent[]) => {
  const lines = new StateLines();
  return events
    .flatMap((event) => lines.lineFor(event) ?? [])
    .map((line) => stripVTControlCharacters(line).replace(/^ {2}\S+ {2}/, ''));
};

it('shows the delivery state of a message, and its path', () => {
  const message = { messageId: 'msg_1', agent: 'Ada' };
  expect(
    shown([
      { type: 'delivery.accepted', ...message, path: 'pty' },
      { type: 'delivery.uncertain', ...message, path: 'pty', reason: reason('unconfirmed') },
      { type: 'delivery.read', ...message },
    ]),
  ).toEqual([
    'Ada  accepted by pty msg_1',
    'Ada  uncertain by pty (the path cannot confirm whether the message arrived) msg_1',
    'Ada  read msg_1',
  ]);
});

it('breaks no word and no id in a narrow terminal', () => {
  Object.assign(process.stdout, { isTTY: true, columns: 44 });
  const message = { messageId: 'msg_1m7ghs0qydpk3vh', agent: 'Ada' };
  expect(
    shown([
      { type: 'delivery.read', ...message },
      { type: 'delivery.accepted', ...message, path: 'pty' },
      path('pty', 'waits', { code: 'draft' }),
    ]),
  ).toEqual([
    'Ada  read msg_1m7ghs0qydpk3vh',
    'Ada\n    accepted by pty msg_1m7ghs0qydpk3vh',
    'Ada\n    waits: draft in the composer',
  ]);
});

it('shows the state of an agent by its best working path, once', () => {
  expect(
    shown([
      { type: 'session.started', agent: 'Ada' },
      path('pty', 'waits', { code: 'starting' }),
      path('hook', 'waits', { code: 'no_hook' }),
      { type: 'session.ready', agent: 'Ada' },
      path('pty', 'ready'),
      path('hook', 'ready', { code: 'unproven', detail: 'claude 9' }),
      path('hook', 'waits', { code: 'busy' }),
      path('pty', 'waits', { code: 'draft' }),
      path('hook', 'waits', { code: 'approval_dialog' }),
      path('hook', 'away'),
      path('pty', 'away'),
      { type: 'session.exited', agent: 'Ada', exit: { code: 3 } },
      { type: 'session.exited', agent: 'Ada', exit: { code: 0, signal: 'SIGHUP' }, released: true },
    ]),
  ).toEqual([
    'Ada  started',
    'Ada  waits: the agent is starting',
    'Ada  ready',
    'Ada  idle',
    'Ada  idle, unproven: claude 9',
    'Ada  working',
    'Ada  waits: approval dialog open',
    'Ada  waits: draft in the composer',
    'Ada  ended (code 3)',
    'Ada  released',
  ]);
});

it('says that an agent is idle only after it was seen ready', () => {
  expect(
    shown([
      { type: 'session.started', agent: 'Ada' },
      path('pty', 'ready'),
      path('pty', 'waits', { code: 'unknown_screen' }),
      path('pty', 'ready'),
      path('pty', 'waits', { code: 'busy' }),
      { type: 'session.ready', agent: 'Ada' },
      path('pty', 'ready'),
    ]),
  ).toEqual(['Ada  started', 'Ada  waits: unknown screen', 'Ada  working', 'Ada  ready', 'Ada  idle']);
});
