import { RelayError, type SendResult } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { DeliveryStore } from '../ports/store/deliveries.ts';
import type { HeldMessage } from '../ports/store/held.ts';
import type { Appended, MessageDraft } from '../ports/store/messages.ts';

/** The maximum number of offline or idle names in a result. */
const MAX_NAMED = 20;

/** The result of a SEND. */
export class SendResults {
  readonly #store: DeliveryStore;
  readonly #agents: Agents;
  readonly #presence: Presence;
  readonly #isWoken: (agentId: number) => boolean;

  constructor(
    store: DeliveryStore,
    agents: Agents,
    presence: Presence,
    isWoken: (agentId: number) => boolean,
  ) {
    this.#store = store;
    this.#agents = agents;
    this.#presence = presence;
    this.#isWoken = isWoken;
  }

  /** `mentioned`: the agents that a message to a channel mentions. */
  stored(
    { seq, id, thread, duplicate }: Appended,
    recipients: number[],
    mentioned: readonly number[],
  ): SendResult {
    const absent = recipients.filter((recipient) => this.#isAbsent(recipient));
    const sleeps = (recipient: number) => this.#presence.isIdle(recipient) && !this.#isWoken(recipient);
    const idle = this.#named(recipients.filter(sleeps));
    const isMissed = (agent: number) => !recipients.includes(agent) && !this.#isRelay(agent);
    const notInChannel = this.#named(mentioned.filter(isMissed));
    return {
      messageId: id,
      seq,
      duplicate: duplicate !== 'no',
      recipients: recipients.length,
      online: recipients.length - absent.length,
      offline: this.#named(absent),
      ...(idle.length === 0 ? {} : { idle }),
      ...(notInChannel.length === 0 ? {} : { notInChannel }),
      ...(thread === undefined ? {} : { thread }),
    };
  }

  /** The relay itself has no connection, and is always there. */
  #isAbsent(recipient: number): boolean {
    return !this.#presence.isOnline(recipient) && !this.#isRelay(recipient);
  }

  #isRelay(agent: number): boolean {
    return this.#agents.byId(agent)?.type === 'system';
  }

  #named(recipients: number[]): string[] {
    return recipients
      .slice(0, MAX_NAMED)
      .map((recipient) => this.#agents.byId(recipient)?.name ?? 'a removed agent');
  }

  /** It was stored before: nothing new happened. */
  async repeated(appended: Appended, mentioned: readonly number[]): Promise<SendResult> {
    const deliveries = await this.#store.deliveriesOf(appended.seq);
    return this.stored(
      appended,
      deliveries.map(({ recipientId }) => recipientId),
      mentioned,
    );
  }
}

/** The draft is held, now or since an earlier attempt. */
export const heldResult = (held: HeldMessage, draft: MessageDraft): SendResult => ({
  messageId: held.id,
  seq: 0,
  duplicate: held.id !== draft.id,
  recipients: 0,
  online: 0,
  offline: [],
  held: held.reason,
});

/** One result for a message to several projects. */
export function sumOf(results: SendResult[]): SendResult {
  const [first] = results;
  if (!first) throw new RelayError('ProjectNotFound', 'There is no project to write to.');
  const sum = (field: 'recipients' | 'online') => results.reduce((total, result) => total + result[field], 0);
  const offline = results.flatMap((result) => result.offline).slice(0, MAX_NAMED);
  const idle = results.flatMap((result) => result.idle ?? []).slice(0, MAX_NAMED);
  return {
    ...first,
    recipients: sum('recipients'),
    online: sum('online'),
    offline,
    ...(idle.length === 0 ? {} : { idle }),
  };
}
