import { wrap } from '@agent-relay/platform';
import {
  type AttachmentInfo,
  type HistoryMessage,
  safeLine,
  safeText,
  senderOf,
} from '@agent-relay/protocol';
import { cellWidth, columns, styled, when, whenByClock } from './terminal.ts';

const MARGIN = '  ';
const GAP = '  ';

/** A message for people: sender, recipient, time and id, then the indented text. */
export const messageLines = (message: HistoryMessage): string =>
  messageLinesWith(message, contentLines(message));

/** The same for a live view, with the clock time. */
export const followedLines = (message: HistoryMessage): string =>
  messageLinesWith(message, contentLines(message), whenByClock(message.ts));

/** The text of a message, wrapped between words in a terminal. */
export const contentLines = ({ content }: HistoryMessage): string =>
  columns() === Number.POSITIVE_INFINITY
    ? safeText(content)
    : wrap(safeText(content), columns() - MARGIN.length);

/** The same with another text, which must be safe to show. */
export function messageLinesWith(message: HistoryMessage, text: string, time = when(message.ts)): string {
  const notes = [
    message.kind === 'free' ? undefined : message.kind,
    message.importance === 'normal' ? undefined : message.importance,
    message.thread && `thread ${message.thread}`,
    message.replyTo && `reply to ${message.replyTo}`,
    message.awaitsReply && 'awaiting reply',
  ].filter((note) => note !== undefined);
  const head = `${styled('bold', safeLine(senderOf(message)))} → ${safeLine(message.to)}`;
  const tail = safeLine([time, message.id, ...notes].join(' · '));
  const isWide = cellWidth(`${head}${GAP}${tail}`) > columns();
  // An id is easier to read and to select in one piece.
  const top = isWide
    ? `${head}\n${styled('dim', indented(wrap(tail, columns() - MARGIN.length)))}`
    : `${head}${GAP}${styled('dim', tail)}`;
  return [top, ...bodyLines(message, text)].join('\n');
}

const indented = (lines: string): string => lines.replace(/^/gm, MARGIN);

/** The lines below the head: the text, then its files and reactions. */
export function bodyLines(message: HistoryMessage, text: string): string[] {
  const { attachments = [], reactions = [] } = message;
  const body = message.redacted ? styled('dim', '(redacted)') : text;
  return [
    indented(body),
    ...attachments.map((file) => `${MARGIN}${styled('dim', fileLine(file))}`),
    ...reactions.map(
      ({ emoji, agents }) => `${MARGIN}${safeLine(emoji)} ${styled('dim', safeLine(agents.join(', ')))}`,
    ),
  ];
}

export const fileLine = ({ id, name, size }: AttachmentInfo): string =>
  `file ${safeLine(name)} (${sizeOf(size)}) ${safeLine(id)}`;

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes.toFixed(1)} KiB` : `${(kibibytes / 1024).toFixed(1)} MiB`;
}
