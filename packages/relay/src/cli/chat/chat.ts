import { wrap } from '@agent-relay/platform';
import {
  dateOf,
  type HistoryMessage,
  isRelayError,
  type Message,
  nameKey,
  type SendResult,
  safeLine,
  safeText,
  senderOf,
} from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { bodyLines } from '../output/message-lines.ts';
import { plural, styled } from '../output/terminal.ts';
import { markRead, unlessLeaving } from '../target/connect.ts';
import { CHAT_HELP, type ChatCommand, parseLine } from './chat-commands.ts';
import { messageText } from './message-text.ts';
import { NumberedMessages } from './numbered-messages.ts';
import { ReadMarks } from './read-marks.ts';
import { openRoom, type Room } from './room.ts';
import type { Screen } from './screen.ts';

/** Below the head of a message, its text is indented. */
const INDENTATION = 2;

/** A chat in a terminal: shows incoming messages and marks them read, sends typed lines to the room. */
export class Chat {
  readonly #relay: Relay;
  readonly #screen: Screen;
  readonly #historyLimit: number;
  readonly #numbered = new NumberedMessages();
  readonly #marks = new ReadMarks();
  #room: Room | undefined;

  constructor(relay: Relay, screen: Screen, historyLimit: number) {
    this.#relay = relay;
    this.#screen = screen;
    this.#historyLimit = historyLimit;
  }

  async enter(where: string): Promise<void> {
    const room = await openRoom(this.#relay, where);
    const messages = await room.history(this.#historyLimit);
    this.#room = room;
    this.#screen.prompt = `${room.to}> `;
    this.#note(`${room.to}, as ${this.#relay.name}. Type /help for help.`);
    for (const message of messages) this.#show(message);
    const own = messages.findLast((message) => this.#isOwn(message));
    if (own) await this.#tellReaders(own.id);
  }

  /** Shows incoming messages until the connection is closed. */
  async follow(): Promise<void> {
    const relay = this.#relay;
    const { promise: closed, resolve, reject } = Promise.withResolvers<void>();
    relay.on('closed', (error) => (error ? reject(error) : resolve()));
    relay.on('disconnected', () => this.#note('Connection lost. Reconnecting…'));
    relay.on('connected', () => {
      this.#note('Reconnected.');
      this.#showUnread().catch(reject);
    });
    relay.on('delivery.read', ({ messageId, agent }) =>
      this.#noteOn(messageId, this.#marks.read(messageId, agent)),
    );
    relay.on('reaction.added', ({ messageId, emoji, agent }) => {
      if (agent !== relay.name) this.#noteOn(messageId, `${emoji} ${agent}`);
    });
    // Notified, not delivered to, so that a second chat of the same person shows everything too.
    relay.on('mail.arrived', ({ message }) => this.#arrived(message).catch(reject));
    relay.on('events.missed', () => this.#showUnread().catch(reject));
    await unlessLeaving(() => relay.watch());
    await this.#showUnread();
    await closed;
  }

  async #showUnread(): Promise<void> {
    await unlessLeaving(async () => {
      const { messages } = await this.#relay.inbox({ limit: 500, markRead: false });
      for (const message of messages) await this.#arrived(message);
    });
  }

  async #arrived(message: Message): Promise<void> {
    // Unread messages of the history arrive a second time.
    if (this.#numbered.numberOf(message.id) === undefined) this.#show(message);
    await markRead(this.#relay, message);
  }

  /** Runs a line. Errors are shown; the chat continues. */
  async write(line: string): Promise<void> {
    try {
      const meant = parseLine(line);
      if (meant.kind === 'text') await this.#send(meant.text);
      else if (meant.kind === 'command') await this.#run(meant.name, meant.number, meant.rest);
      else if (meant.kind === 'unknown')
        this.#note(`Unknown command /${safeText(meant.name)}. Type /help for help.`);
    } catch (error) {
      if (!isRelayError(error)) throw error;
      const text = this.#wrapped(safeText(`error: ${error.message} ${error.next}`));
      this.#screen.print(text.replace(/^error:/, (word) => styled('red', word)));
    }
  }

  async #run(name: ChatCommand, number: string | undefined, rest: string): Promise<void> {
    if (name === 'quit') return this.#screen.close();
    if (name === 'help') return this.#screen.print(this.#wrapped(CHAT_HELP));
    if (name === 'who') return await this.#tellWho();
    if (name === 'readers') return await this.#tellReaders(this.#numbered.find(number, 'own'));
    if (rest === '') return this.#note(`/${name} needs an argument. Type /help for help.`);
    if (name === 'join') return await this.enter(rest);
    const message = this.#numbered.find(number, 'others');
    if (name === 'react') return await this.#react(message, rest);
    this.#tellSent(await this.#relay.reply(message, rest));
  }

  async #send(text: string): Promise<void> {
    this.#tellSent(await this.#relay.send(this.#room?.to ?? '', text));
  }

  async #react(message: string, emoji: string): Promise<void> {
    const reactions = await this.#relay.react(message, emoji);
    this.#noteOn(
      message,
      reactions.map(({ emoji: one, agents }) => `${one} ${agents.join(', ')}`).join('  '),
    );
  }

  #tellSent({ messageId, held, offline, recipients, notInChannel = [] }: SendResult): void {
    this.#numbered.add(messageId, true);
    const waits = recipients > 0 && offline.length === recipients;
    const sent = waits ? `sent; ${plural(recipients, 'recipient')} offline` : 'sent';
    this.#noteOn(messageId, held === undefined ? sent : `held: ${held}`);
    if (notInChannel.length > 0)
      this.#noteOn(messageId, `not in the channel, so they do not get it: ${notInChannel.join(', ')}`);
    this.#noteOn(messageId, this.#marks.sent(messageId, recipients));
  }

  async #tellReaders(message: string): Promise<void> {
    const { readers, unread } = await this.#relay.readers(message);
    const parts = [
      ...(readers.length > 0 ? [`read by ${readers.map(({ agent }) => agent).join(', ')}`] : []),
      ...(unread.length > 0 ? [`unread by ${unread.join(', ')}`] : []),
    ];
    this.#noteOn(message, parts.join('; ') || 'no recipients');
  }

  async #tellWho(): Promise<void> {
    const agents = await this.#relay.who({ includeOffline: true });
    this.#screen.print(
      agents.map(({ name, status }) => `${safeLine(name)} ${styled('dim', status)}`).join('\n'),
    );
  }

  #show(message: HistoryMessage): void {
    const number = this.#numbered.add(message.id, this.#isOwn(message));
    const time = dateOf(message.ts).toTimeString().slice(0, 5);
    const isHere = this.#room?.has(message) ?? false;
    const destination = isHere ? '' : styled('cyan', ` → ${safeLine(message.to)}`);
    const kind = message.kind === 'free' ? '' : styled('yellow', ` [${message.kind}]`);
    const answered = message.replyTo && this.#numbered.numberOf(message.replyTo);
    const reply = answered ? ` reply to ${answered}` : '';
    const sender = styled('bold', safeLine(senderOf(message)));
    const head = `${styled('dim', time)} ${sender}${destination}${kind}${styled('dim', ` [${number}]${reply}`)}`;
    this.#screen.print([head, ...bodyLines(message, this.#textOf(message))].join('\n'));
  }

  #textOf(message: Message): string {
    const { columns } = this.#screen;
    return messageText(message, {
      me: this.#relay.name ?? '',
      columns: columns === undefined ? undefined : columns - INDENTATION,
    });
  }

  #isOwn({ from, fromProject }: Message): boolean {
    return fromProject === undefined && nameKey(from) === nameKey(this.#relay.name ?? '');
  }

  #note(text: string): void {
    this.#screen.print(styled('dim', this.#wrapped(text)));
  }

  #wrapped(text: string): string {
    const { columns } = this.#screen;
    return columns === undefined ? text : wrap(text, columns);
  }

  /** A note on a visible message. */
  #noteOn(message: string, text: string | undefined): void {
    const number = this.#numbered.numberOf(message);
    if (number !== undefined && text !== undefined) this.#note(`[${number}] ${safeLine(text)}`);
  }
}
