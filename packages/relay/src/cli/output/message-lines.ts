import {
  type AttachmentInfo,
  type HistoryMessage,
  safeLine,
  safeText,
  senderOf,
} from '@agent-relay/protocol';
import { styled, when, whenByClock } from './terminal.ts';

/** A message for people: sender, recipient, time and id, then the indented text. */
export const messageLines = (message: HistoryMessage): string =>
  messageLinesWith(message, safeText(message.content));

/** The same for a live view, with the clock time. */
export const followedLines = (message: HistoryMessage): string =>
  messageLinesWith(message, safeText(message.content), whenByClock(message.ts));

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
  return [`${head}  ${styled('dim', tail)}`, ...bodyLines(message, text)].join('\n');
}

/** The lines below the head: the text, then its files and reactions. */
export function bodyLines(message: HistoryMessage, text: string): string[] {
  const { attachments = [], reactions = [] } = message;
  const body = message.redacted ? styled('dim', '(redacted)') : text;
  return [
    body.replace(/^/gm, '  '),
    ...attachments.map((file) => `  ${styled('dim', fileLine(file))}`),
    ...reactions.map(
      ({ emoji, agents }) => `  ${safeLine(emoji)} ${styled('dim', safeLine(agents.join(', ')))}`,
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
