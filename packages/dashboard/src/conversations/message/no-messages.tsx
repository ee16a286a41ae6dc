import { CommandLine, shellWord } from '../../parts/command.tsx';
import type { Conversation } from '../place.ts';

/** What an empty conversation is for, and how it gets its first message. */
export function NoMessages({ conversation }: { conversation: Conversation }) {
  const { title, text, command } = lessonOf(conversation);
  return (
    <section class="card empty no-messages" aria-label="No messages yet">
      <h2>{title}</h2>
      <p>{text}</p>
      {command && <CommandLine>{command}</CommandLine>}
    </section>
  );
}

function lessonOf(conversation: Conversation): { title: string; text: string; command?: string } {
  switch (conversation.kind) {
    case 'activity':
      return {
        title: 'No messages in this project yet',
        text: 'Everything that agents and people write appears here. Send the first one to all agents:',
        command: 'agent-relay send "*" "Hello, who is there?"',
      };
    case 'channel':
      return {
        title: `No messages in ${conversation.channel} yet`,
        text: 'All members read what is written here. Write below, or in a terminal:',
        command: `agent-relay send "${shellWord(conversation.channel, '#general')}" "Hello"`,
      };
    case 'direct':
      return {
        title: `No messages with ${conversation.others.join(', ')} yet`,
        text: 'Write below, or in a terminal:',
        command: `agent-relay send ${shellWord(conversation.others.join(','), 'Alice')} "Hello"`,
      };
    case 'between':
      return {
        title: `${conversation.names.join(' and ')} have not written to each other`,
        text: 'What they write appears here; you can read along.',
      };
  }
}
