import { isRelayError, type Message, safeLine, safeText, senderOf } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { bodyLines } from '../output/message-lines.ts';
import { plural, styled } from '../output/terminal.ts';
import { markRead } from '../target/connect.ts';
import { openRoom, type Room } from './room.ts';
import type { Screen } from './screen.ts';

const HELP = [
  '/join #channel   go to a channel; /join Name: to the messages with an agent',
  '/who             who is there',
  '/quit            leave; so does Ctrl-C',
  'Everything else is sent. A line that begins with / is sent if a blank stands before it.',
].join('\n');

/** One person in a terminal: what comes is shown and counts as read, what is written is sent to the room. */
export class Chat {
  readonly #relay: Relay;
  readonly #screen: Screen;
  readonly #historyLimit: number;
  /** Messages of the history that are still unread come a second time, as deliveries. */
  readonly #shown = new Set<string>();
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
    this.#screen.print(styled('dim', `${room.to}, as ${this.#relay.name}. /help explains.`));
    for (const message of messages) this.#show(message);
  }

  /** Shows what comes until the connection is closed. */
  async follow(): Promise<void> {
    this.#relay.on('disconnected', () => this.#note('The connection is lost; trying again.'));
    this.#relay.on('connected', () => this.#note('The connection is back.'));
    for await (const message of this.#relay.messages()) {
      if (!this.#shown.has(message.id)) this.#show(message);
      await markRead(this.#relay, message);
    }
  }

  /** Does what a line says. What fails is told; the chat goes on. */
  async write(line: string): Promise<void> {
    try {
      const [, command, rest = ''] = /^\/(\S*)\s*(.*)$/.exec(line) ?? [];
      if (command !== undefined) await this.#obey(command, rest.trim());
      else if (line.trim() !== '') await this.#send(line.trim());
    } catch (error) {
      if (!isRelayError(error)) throw error;
      this.#screen.print(`${styled('red', 'error:')} ${safeText(`${error.message} ${error.next}`)}`);
    }
  }

  async #obey(command: string, rest: string): Promise<void> {
    if (command === 'quit') this.#screen.close();
    else if (command === 'help') this.#screen.print(HELP);
    else if (command === 'who') await this.#tellWho();
    else if (command === 'join' && rest === '') this.#note('/join needs a channel or a name.');
    else if (command === 'join') await this.enter(rest);
    else this.#note(`There is no /${safeText(command)} like that; /help tells what there is.`);
  }

  async #send(text: string): Promise<void> {
    const { held, offline, recipients } = await this.#relay.send(this.#room?.to ?? '', text);
    if (held !== undefined) this.#note(`Held: ${held}.`);
    else if (recipients > 0 && offline.length === recipients) {
      this.#note(`Kept for later: ${plural(recipients, 'recipient')} not connected now.`);
    }
  }

  async #tellWho(): Promise<void> {
    const agents = await this.#relay.who({ includeOffline: true });
    this.#screen.print(
      agents.map(({ name, status }) => `${safeLine(name)} ${styled('dim', status)}`).join('\n'),
    );
  }

  #show(message: Message): void {
    this.#shown.add(message.id);
    const time = new Date(message.ts).toTimeString().slice(0, 5);
    const isHere = this.#room?.has(message) ?? false;
    const destination = isHere ? '' : styled('cyan', ` → ${safeLine(message.to)}`);
    const kind = message.kind === 'free' ? '' : styled('yellow', ` [${message.kind}]`);
    const head = `${styled('dim', time)} ${styled('bold', safeLine(senderOf(message)))}${destination}${kind}`;
    this.#screen.print([head, ...bodyLines(message, safeText(message.content))].join('\n'));
  }

  #note(text: string): void {
    this.#screen.print(styled('dim', text));
  }
}
