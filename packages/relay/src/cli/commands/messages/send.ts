import { text } from 'node:stream/consumers';
import {
  IMPORTANCES,
  type Importance,
  MESSAGE_KINDS,
  type MessageKind,
  RelayError,
  type SendResult,
  safeText,
  senderOf,
  waitingNote,
} from '@agent-relay/protocol';
import type { Relay, SendOptions } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { uploadFiles } from '../../files/upload-files.ts';
import {
  type AgentOption,
  futureTime,
  type JsonOption,
  oneOf,
  type ProjectOption,
  patience,
  withAgent,
  withJson,
  withProject,
} from '../../options.ts';
import { print, printAside, printJson } from '../../output/terminal.ts';
import { asAgent } from '../../target/connect.ts';

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
    expires?: number;
    attach?: string[];
  };

export const command = withJson(withAgent(withProject(new Command('send'))))
  .description('Send a message; reads stdin if there is no text, or for "-"')
  .argument('[to]', 'agent, Alice,Bob, "#channel", lead, "*" (everyone) or project:Name')
  .argument('[message...]', 'text')
  .option('--thread <id>', 'thread id')
  .option('--reply-to <id>', 'reply to this message; the address may be omitted')
  .addOption(oneOf('--kind <kind>', 'kind of message', MESSAGE_KINDS))
  .addOption(oneOf('--importance <degree>', 'importance', IMPORTANCES))
  .option('--id <id>', 'message id of your own, to make retries safe')
  .option('--expires <when>', 'do not deliver after this: 10m or 2026-01-31T14:00Z', futureTime)
  .option('--attach <file>', 'attach a file (repeatable)', collect)
  .option('--await', 'wait for the reply and print it')
  .option('--timeout <ms>', 'how long to wait for the reply, also as 90s or 10m', patience, 30_000)
  .action(async (to: string | undefined, words: string[], options: Options) => {
    const { address, text: given } = destination(to, words, options);
    const content = await contentOf(given);
    await asAgent(options, async (relay) => {
      const details = await detailsOf(relay, options);
      if (options.await) {
        const target = typeof address === 'string' ? address : awaitsOneAgent();
        const answer = await relay.sendAndWait(target, content, {
          ...details,
          timeoutMs: options.timeout,
          onStored: (sent) => {
            if (process.stderr.isTTY && !options.json) tellSent(sent, `to ${to}`, printAside);
          },
        });
        if (options.json) return printJson(answer);
        return print(`Response from ${senderOf(answer)}: ${safeText(answer.content)}`);
      }
      const { replyTo = '', ...others } = details;
      const sent = await (address === undefined
        ? relay.reply(replyTo, content, others)
        : relay.send(address, content, details));
      if (options.json) return printJson(sent);
      tellSent(sent, address === undefined ? `in reply to ${replyTo}` : `to ${to}`, print);
    });
  });

function collect(file: string, files: string[] = []): string[] {
  return [...files, file];
}

/** The recipient; may be omitted for a reply. */
function destination(
  to: string | undefined,
  words: string[],
  { replyTo }: Options,
): { address: string | string[] | undefined; text: string[] } {
  if (to !== undefined && (replyTo === undefined || words.length > 0)) {
    return { address: to.includes(',') ? to.split(',').map((name) => name.trim()) : to, text: words };
  }
  if (replyTo !== undefined) return { address: undefined, text: to === undefined ? [] : [to] };
  throw new RelayError('InvalidRequest', 'The message has no recipient.', {
    next: 'Name an agent or a channel, or use --reply-to MESSAGE.',
  });
}

async function detailsOf(relay: Relay, options: Options): Promise<SendOptions> {
  const { thread, replyTo, kind, importance, id, expires, attach } = options;
  const attachments = attach && (await uploadFiles(relay, attach));
  return {
    ...(thread === undefined ? {} : { thread }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(kind === undefined ? {} : { kind }),
    ...(importance === undefined ? {} : { importance }),
    ...(id === undefined ? {} : { id }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}

function tellSent(sent: SendResult, where: string, say: (text: string) => void): void {
  const { messageId, duplicate, held } = sent;
  if (held !== undefined) {
    say(`Message ${where} is held (${messageId}): ${held}.`);
    say('Review it with: agent-relay held list');
    return;
  }
  say(`Message sent ${where} (${messageId}).${duplicate ? ' Already sent before.' : ''}`);
  const note = waitingNote(sent);
  if (note !== undefined) say(note);
}

function awaitsOneAgent(): never {
  throw new RelayError('InvalidRequest', '--await works with one recipient only.', {
    next: 'Name one agent.',
  });
}

async function contentOf(words: string[]): Promise<string> {
  const fromInput = words.length === 0 ? !process.stdin.isTTY : words.length === 1 && words[0] === '-';
  return fromInput ? (await text(process.stdin)).replace(/\r?\n$/, '') : words.join(' ');
}
