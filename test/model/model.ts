import type { ErrorCode } from '@agent-relay/protocol';

/** An agent. A later one with the same name is a different agent. */
export interface Somebody {
  readonly number: number;
  readonly name: string;
  isThere: boolean;
}

/** Where something is said: among a few, in a channel, or to all. */
export type Place =
  | { kind: 'direct'; among: Somebody[] }
  | { kind: 'channel'; channel: string }
  | { kind: 'broadcast' };

export interface Said {
  readonly id: string;
  readonly sender: Somebody;
  readonly unverified: boolean;
  readonly place: Place;
  readonly recipients: Set<Somebody>;
  readonly thread: string | undefined;
  readonly expiresAt: number | undefined;
  readonly read: Set<Somebody>;
  readonly reactions: Array<{ by: Somebody; emoji: string }>;
  text: string;
  mentioned: Set<Somebody>;
  isRedacted: boolean;
}

export const GENERAL = '#general';

/** What messaging should do, as simply as possible: lists in memory, and full scans. */
export class Model {
  readonly everybody: Somebody[] = [];
  readonly members: Map<string, Set<Somebody>>;
  readonly said: Said[] = [];

  constructor(channels: string[]) {
    this.members = new Map(channels.map((channel) => [channel, new Set()]));
  }

  get present(): Somebody[] {
    return this.everybody.filter(({ isThere }) => isThere);
  }

  find(name: string): Somebody | undefined {
    return this.present.find((agent) => agent.name === name);
  }

  register(name: string): Somebody {
    const agent = { number: this.everybody.length, name, isThere: true };
    this.everybody.push(agent);
    return agent;
  }

  remove(agent: Somebody): void {
    agent.isThere = false;
    for (const members of this.members.values()) members.delete(agent);
  }

  isMember(agent: Somebody, channel: string): boolean {
    return channel === GENERAL || (this.members.get(channel)?.has(agent) ?? false);
  }

  sees(agent: Somebody, { sender, recipients, place }: Said): boolean {
    const isInChannel = place.kind === 'channel' && this.isMember(agent, place.channel);
    return sender === agent || recipients.has(agent) || isInChannel;
  }

  /** Writing to a channel joins it. */
  say(message: Omit<Said, 'recipients' | 'read' | 'reactions' | 'mentioned' | 'isRedacted'>): void {
    const { sender, place, text } = message;
    if (place.kind === 'channel') this.members.get(place.channel)?.add(sender);
    this.said.push({
      ...message,
      recipients: new Set(this.#audience(sender, place)),
      read: new Set(),
      reactions: [],
      mentioned: new Set(this.present.filter(({ name }) => text.includes(`@${name}`))),
      isRedacted: false,
    });
  }

  #audience(sender: Somebody, place: Place): Somebody[] {
    if (place.kind === 'direct' && place.among.length === 1) return [sender];
    const all =
      place.kind === 'direct'
        ? place.among
        : place.kind === 'channel' && place.channel !== GENERAL
          ? [...(this.members.get(place.channel) ?? [])]
          : this.present;
    return all.filter((agent) => agent !== sender);
  }

  /** Where an answer goes, or why there can be none. */
  placeOfAnswer(sender: Somebody, parent: Said): Place | ErrorCode {
    if (!this.sees(sender, parent)) return 'MessageNotFound';
    const { place } = parent;
    if (place.kind === 'channel') return place;
    const others =
      place.kind === 'broadcast' ? [parent.sender] : place.among.filter((agent) => agent !== sender);
    const left = others.filter(({ isThere }) => isThere);
    if (place.kind === 'direct' && place.among.length === 1) return place;
    if (left.length === 0) return 'AgentNotFound';
    return { kind: 'direct', among: [...new Set([sender, ...left])] };
  }

  redact(message: Said): void {
    message.text = '';
    message.mentioned = new Set();
    message.isRedacted = true;
  }

  unread(agent: Somebody, now: number): Said[] {
    return this.delivered(agent, now).filter(({ read }) => !read.has(agent));
  }

  delivered(agent: Somebody, now: number): Said[] {
    return this.said.filter(
      ({ recipients, expiresAt }) => recipients.has(agent) && (expiresAt ?? now) >= now,
    );
  }

  /** What an agent sees, or, without one, the owner. */
  visible(agent: Somebody | undefined): Said[] {
    return agent ? this.said.filter((message) => this.sees(agent, message)) : this.said;
  }

  /** The direct conversations of an agent, the latest first. */
  conversations(agent: Somebody, now: number) {
    const direct = this.said.filter(({ place }) => place.kind === 'direct' && place.among.includes(agent));
    const unread = new Set(this.unread(agent, now));
    const talks = Map.groupBy(direct, ({ place }) =>
      place.kind === 'direct'
        ? place.among
            .map(({ number }) => number)
            .sort()
            .join()
        : '',
    );
    return [...talks.values()]
      .map((messages) => {
        const last = messages.at(-1) as Said;
        const among = last.place.kind === 'direct' ? last.place.among : [];
        const others = among.filter((other) => other !== agent).map(({ name }) => name);
        return {
          kind: among.length > 2 ? 'group' : 'dm',
          participants: others.sort(),
          last: last.id,
          unread: messages.filter((message) => unread.has(message)).length,
        };
      })
      .sort((one, other) => this.#order(other.last) - this.#order(one.last));
  }

  #order(id: string): number {
    return this.said.findIndex((message) => message.id === id);
  }
}
