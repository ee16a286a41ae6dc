import type { HistoryMessage } from '@agent-relay/protocol';
import { expect, it } from 'vitest';
import { messageLines } from './message-lines.ts';

it('a message has no control character in any of its lines, whatever a daemon says of it', () => {
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
