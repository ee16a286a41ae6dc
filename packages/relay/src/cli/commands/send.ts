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
} from '@agent-relay/protocol';
import type { Relay, SendOptions } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { uploadFiles } from '../files/upload-files.ts';
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
} from '../options.ts';
import { print, printAside, printJson } from '../output/terminal.ts';
import { asAgent } from '../target/connect.ts';

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
  .description('Send a message; without one, or for "-", it is read from standard input.')
  .argument('[to]', 'an agent, several as Alice,Bob, #channel, lead, * for everyone; project:Name elsewhere')
  .argument('[message...]', 'the text')
  .option('--thread <id>', 'the thread it belongs to')
  .option('--reply-to <id>', 'the message it answers; with one word besides, that is the text and goes there')
  .addOption(oneOf('--kind <kind>', 'what it is', MESSAGE_KINDS))
  .addOption(oneOf('--importance <degree>', 'how much it matters', IMPORTANCES))
  .option('--id <id>', 'your own id: sending it again with the same content does nothing')
  .option('--expires <when>', 'do not deliver it later than this: 10m, or 2026-01-31T14:00Z', futureTime)
  .option('--attach <file>', 'a file to hang on it; may be given several times', collect)
  .option('--await', 'wait for the answer and print it')
  .option('--timeout <ms>', 'how long to wait for the answer; also as 90s or 10m', patience, 30_000)
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
      tellSent(sent, address === undefined ? `in answer to ${replyTo}` : `to ${to}`, print);
    });
  });

function collect(file: string, files: string[] = []): string[] {
  return [...files, file];
}

/** Whom it is for: a reply may leave that out. */
function destination(
  to: string | undefined,
  words: string[],
  { replyTo }: Options,
): { address: string | string[] | undefined; text: string[] } {
  if (to !== undefined && (replyTo === undefined || words.length > 0)) {
    return { address: to.includes(',') ? to.split(',').map((name) => name.trim()) : to, text: words };
  }
  if (replyTo !== undefined) return { address: undefined, text: to === undefined ? [] : [to] };
  throw new RelayError('InvalidRequest', 'A message needs somebody it is for.', {
    next: 'Name an agent or a channel, or the message it answers with --reply-to.',
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

function tellSent(
  { messageId, duplicate, offline, held }: SendResult,
  where: string,
  say: (text: string) => void,
): void {
  if (held !== undefined) {
    say(`Message ${where} is held (${messageId}): ${held}.`);
    say('See it with: agent-relay held list');
    return;
  }
  say(`Message sent ${where} (${messageId}).${duplicate ? ' It had been sent before.' : ''}`);
  if (offline.length > 0) say(`Not connected now, kept for later: ${offline.join(', ')}.`);
}

function awaitsOneAgent(): never {
  throw new RelayError('InvalidRequest', 'Only the answer of one agent can be waited for.', {
    next: 'Name that agent.',
  });
}

async function contentOf(words: string[]): Promise<string> {
  const fromInput = words.length === 0 ? !process.stdin.isTTY : words.length === 1 && words[0] === '-';
  return fromInput ? (await text(process.stdin)).replace(/\r?\n$/, '') : words.join(' ');
}
