import { type Message, safeText } from '@agent-relay/protocol';
import { styled, when } from './terminal.ts';

/** A message as a person reads it: who, to whom, when, its id; then the text, set off from what the relay says. */
export function messageLines(message: Message): string {
  const sender = message.fromProject ? `${message.fromProject}:${message.from}` : message.from;
  const notes = [
    message.kind === 'free' ? undefined : message.kind,
    message.importance === 'normal' ? undefined : message.importance,
    message.thread && `thread ${message.thread}`,
    message.replyTo && `answers ${message.replyTo}`,
    message.awaitsReply && 'waits for an answer',
  ].filter((note) => note !== undefined);
  const head = `${styled('bold', sender)} → ${message.to}`;
  const tail = [when(message.ts), message.id, ...notes].join(' · ');
  const body = safeText(message.content).replace(/^/gm, '  ');
  return `${head}  ${styled('dim', tail)}\n${body}`;
}
