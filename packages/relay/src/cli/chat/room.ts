import { type HistoryMessage, type Message, nameKey, parseAddress, RelayError } from '@agent-relay/protocol';
import type { Relay } from '@agent-relay/sdk/node';
import { knownName } from '../target/known-name.ts';

/** What a chat shows and writes to: a channel, or the direct messages with one agent. */
export interface Room {
  /** Its address: `#channel` or a name. */
  to: string;
  has(message: Message): boolean;
  /** The newest messages, in order. */
  history(limit: number): Promise<HistoryMessage[]>;
}

/** How much more of the history is read, because channel messages are mixed in. */
const LOOK_BACK = 5;

/** Opens a room; joins the channel. */
export async function openRoom(relay: Relay, where: string): Promise<Room> {
  const { project, target } = parseAddress(where);
  if (project !== undefined || (target.kind !== 'channel' && target.kind !== 'agent')) {
    throw new RelayError('InvalidAddress', `"${where}" is neither a channel nor an agent of this project.`, {
      next: 'Use #channel or an agent name.',
    });
  }
  return target.kind === 'channel'
    ? await channelRoom(relay, target.name)
    : agentRoom(relay, await knownName(relay, target.name));
}

async function channelRoom(relay: Relay, name: string): Promise<Room> {
  const { channel } = await relay.channels.join(name);
  return {
    to: channel.name,
    has: (message) => message.channel === channel.name,
    history: async (limit) => (await relay.history({ channel: name, limit })).messages,
  };
}

function agentRoom(relay: Relay, name: string): Room {
  const is = (other: string) => nameKey(other) === nameKey(name);
  const has = ({ channel, group, from, to }: Message) =>
    channel === undefined && group === undefined && to !== '*' && (is(from) || is(to));
  return {
    to: name,
    has,
    history: async (limit) => {
      const { messages } = await relay.history({ agent: name, limit: Math.min(500, limit * LOOK_BACK) });
      return messages.filter(has).slice(-limit);
    },
  };
}
