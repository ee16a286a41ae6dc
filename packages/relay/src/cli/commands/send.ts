import { text } from 'node:stream/consumers';
import {
  IMPORTANCES,
  type Importance,
  MESSAGE_KINDS,
  type MessageKind,
  safeText,
} from '@agent-relay/protocol';
import { Command } from 'commander';
import { asAgent } from '../connection.ts';
import {
  type AgentOption,
  type JsonOption,
  oneOf,
  type ProjectOption,
  wholeNumber,
  withAgent,
  withJson,
  withProject,
} from '../options.ts';
import { print, printJson } from '../terminal.ts';

type Options = ProjectOption &
  JsonOption &
  AgentOption & {
    thread?: string;
    kind?: MessageKind;
    importance?: Importance;
    replyTo?: string;
    await?: boolean;
    timeout: number;
    id?: string;
  };

export const command = withJson(withAgent(withProject(new Command('send'))))
  .description('Send a message; without one, or for "-", it is read from standard input.')
  .argument('<to>', 'the name of an agent, lead, or * for everyone')
  .argument('[message...]', 'the text')
  .option('--thread <id>', 'the thread it belongs to')
  .option('--reply-to <id>', 'the message it answers')
  .addOption(oneOf('--kind <kind>', 'what it is', MESSAGE_KINDS))
  .addOption(oneOf('--importance <degree>', 'how much it matters', IMPORTANCES))
  .option('--id <id>', 'your own id: sending it again with the same content does nothing')
  .option('--await', 'wait for the answer and print it')
  .option('--timeout <ms>', 'how long to wait for the answer', wholeNumber(1), 30_000)
  .action(async (to: string, words: string[], options: Options) => {
    const content = await contentOf(words);
    const { thread, replyTo, kind, importance, id } = options;
    const details = {
      ...(thread === undefined ? {} : { thread }),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(kind === undefined ? {} : { kind }),
      ...(importance === undefined ? {} : { importance }),
      ...(id === undefined ? {} : { id }),
    };
    await asAgent(options, async (relay) => {
      if (options.await) {
        const answer = await relay.sendAndWait(to, content, { ...details, timeoutMs: options.timeout });
        if (options.json) return printJson(answer);
        return print(`Response from ${answer.from}: ${safeText(answer.content)}`);
      }
      const sent = await relay.send(to, content, details);
      if (options.json) return printJson(sent);
      print(`Message sent to ${to} (${sent.messageId}).${sent.duplicate ? ' It had been sent before.' : ''}`);
      const { offline } = sent;
      if (offline.length > 0) print(`Not connected now, kept for later: ${offline.join(', ')}.`);
    });
  });

async function contentOf(words: string[]): Promise<string> {
  const fromInput = words.length === 0 ? !process.stdin.isTTY : words.length === 1 && words[0] === '-';
  return fromInput ? (await text(process.stdin)).replace(/\r?\n$/, '') : words.join(' ');
}
