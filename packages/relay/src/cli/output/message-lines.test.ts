import { stripVTControlCharacters } from 'node:util';
import type { HistoryMessage } from '@agent-relay/protocol';
import { afterEach, expect, it } from 'vitest';
import { messageLines } from './message-lines.ts';

const { isTTY, columns } = process.stdout;
afterEach(() => Object.assign(process.stdout, { isTTY, columns }));

it('shows a message without control characters, whatever the daemon sends', () => {
  const bad = '\u001b]0;x\u0007\u001b[31m\u009b';
  const lines = messageLines({
    seq: 1,
    id: `msg${bad}`,
    from: `Eve${bad}`,
    to: `Bob${bad}`,
    content: `hello${bad}`,
    kind: 'question',
    importance: 'high',
    thread: `t${bad}`,
    replyTo: `r${bad}`,
    ts: 1_800_000_000_000,
    attachments: [{ id: `att${bad}`, name: `f${bad}`, mediaType: bad, size: 1, sha256: '0' }],
    reactions: [{ emoji: `:e${bad}:`, agents: [`Eve${bad}`] }],
  } satisfies HistoryMessage);
  expect(lines.replaceAll('\n', '')).toMatch(/^\P{C}+$/u);
  expect(lines).toContain('hello');
});

const LONG: HistoryMessage = {
  seq: 1,
  id: 'msg_1m7ghs0qydpk3vh',
  from: 'Alice',
  to: 'Bob',
  content: 'The build is green.\n  Can you review the last change today?',
  kind: 'question',
  importance: 'normal',
  ts: Date.now() - 5500,
};
const linesAt = (width: number): string[] => {
  Object.assign(process.stdout, { isTTY: true, columns: width });
  return stripVTControlCharacters(messageLines(LONG)).split('\n');
};

it('wraps between words and ids in a narrow terminal', () => {
  expect(linesAt(30)).toEqual([
    'Alice → Bob',
    '  5s ago · msg_1m7ghs0qydpk3vh',
    '  · question',
    '  The build is green.',
    '    Can you review the last',
    '  change today?',
  ]);
});

it.each([80, 0])('stays as it is in a terminal of %i columns', (width) => {
  expect(linesAt(width)).toEqual([
    'Alice → Bob  5s ago · msg_1m7ghs0qydpk3vh · question',
    '  The build is green.',
    '    Can you review the last change today?',
  ]);
});
