import type { ChannelInfo, OperationResult } from '@agent-relay/protocol';
import type { ClientSession } from '../connection/client-session.ts';
import { allPages } from './pages.ts';

/** The channels of the project. A channel may be written with or without `#`. */
export class Channels {
  readonly #session: ClientSession;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  /** Creates a channel and joins it. */
  async create(name: string, { topic }: { topic?: string } = {}): Promise<ChannelInfo> {
    return (await this.#session.request('CHANNEL_CREATE', { name, topic })).channel;
  }

  /** `joined` is false if this agent was already a member. `create` creates a missing channel. */
  join(
    channel: string,
    { create = false }: { create?: boolean } = {},
  ): Promise<OperationResult<'CHANNEL_JOIN'>> {
    return this.#session.request('CHANNEL_JOIN', { channel, create });
  }

  /** False if this agent was not a member. */
  async leave(channel: string): Promise<boolean> {
    const { left } = await this.#session.request('CHANNEL_LEAVE', { channel });
    this.#session.forgetChannel(channel);
    return left;
  }

  list({ includeArchived = false }: { includeArchived?: boolean } = {}): Promise<ChannelInfo[]> {
    return allPages(async (cursor) => {
      const { channels, next } = await this.#session.request('CHANNEL_LIST', { includeArchived, cursor });
      return { entries: channels, next };
    });
  }

  /** The names of the members. */
  async members(channel: string): Promise<string[]> {
    return (await this.#session.request('CHANNEL_MEMBERS', { channel })).members;
  }

  /** Adds another agent; false if it was already a member. */
  async invite(channel: string, agent: string): Promise<boolean> {
    return (await this.#session.request('CHANNEL_INVITE', { channel, agent })).added;
  }

  /** Sets the topic of the channel. */
  async topic(channel: string, topic: string): Promise<void> {
    await this.#session.request('CHANNEL_TOPIC', { channel, topic });
  }

  /** Makes the channel read-only; `archived: false` reopens it. */
  async archive(channel: string, { archived = true }: { archived?: boolean } = {}): Promise<void> {
    await this.#session.request('CHANNEL_ARCHIVE', { channel, archived });
  }
}
