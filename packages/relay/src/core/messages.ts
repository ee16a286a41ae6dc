import {
  type Address,
  formatAddress,
  type Message,
  type NewId,
  type OperationParams,
  parseAddress,
  RelayError,
  type SendResult,
} from '@agent-relay/protocol';
import type { Agents } from './agents.ts';
import type { Clock } from './ports/clock.ts';
import type {
  Agent,
  Appended,
  Conversation,
  MessageDraft,
  Store,
  StoredMessage,
  Workspace,
} from './ports/store.ts';
import type { Presence } from './presence.ts';
import { type Principal, requireAgent } from './principal.ts';

/** Where a message goes, found out before it is stored. */
interface Route {
  conversation: Conversation;
  audience: MessageDraft['audience'];
  /** The address as its readers see it. */
  to: string;
}

/** What was stored, for those who hand it on: receivers, awaits. */
export interface Stored {
  message: Message;
  senderId: number;
  recipients: number[];
  workspaceId: number;
}

type SendParams = OperationParams<'SEND'>;
type MessageFields = Omit<MessageDraft, 'audience' | 'clientId'>;

/** Beyond so many the cache of conversations starts anew: it saves reads, it is not the truth. */
const MAX_CACHED_CONVERSATIONS = 100_000;
/** A send result names no more absent recipients than a person would read. */
const MAX_NAMED_OFFLINE = 20;

export class Messages {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #newId: NewId;
  readonly #agents: Agents;
  readonly #presence: Presence;
  readonly #maxBodyBytes: number;
  readonly #conversations = new Map<string, Conversation>();
  /** Senders with a message whose conversation is still being created: their later messages queue behind it. */
  readonly #routing = new Map<number, Promise<unknown>>();
  /** Called for each stored message, in order of seq, before the sender is told. */
  onStored: (stored: Stored) => void = () => undefined;

  constructor(parts: {
    store: Store;
    clock: Clock;
    newId: NewId;
    agents: Agents;
    presence: Presence;
    maxBodyBytes: number;
  }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#newId = parts.newId;
    this.#agents = parts.agents;
    this.#presence = parts.presence;
    this.#maxBodyBytes = parts.maxBodyBytes;
  }

  /**
   * Stores a message. `clientId` names it for retries: the same id and content again are the same message.
   * Messages of one sender are stored in the order of the calls.
   */
  send(principal: Principal, clientId: string, params: SendParams): Promise<SendResult> {
    const sender = requireAgent(principal);
    this.#checkBody(params.content);
    const address = this.#localAddress(principal.workspace, parseAddress(params.to));
    const target = this.#resolve(principal.workspace, address);
    const key = conversationKey(sender, target);
    const conversation = this.#conversations.get(`${principal.workspace.id} ${key}`);
    if (conversation && !this.#routing.has(sender.id)) {
      return this.#append(sender, clientId, params, routeTo(conversation, target));
    }
    return this.#queue(sender, async () => {
      const created = await this.#ensureConversation(principal.workspace, key);
      return () => this.#append(sender, clientId, params, routeTo(created, target));
    });
  }

  /** The agent whose answer to a message can be awaited: the address must name one. */
  awaitable(principal: Principal, to: string): Agent {
    const target = this.#resolve(
      principal.workspace,
      this.#localAddress(principal.workspace, parseAddress(to)),
    );
    if (target !== 'everyone') return target;
    throw new RelayError('InvalidRequest', 'await: only the answer of one agent can be awaited.', {
      details: { field: 'await' },
    });
  }

  #checkBody(content: string): void {
    if (content.trim() === '') throw new RelayError('EmptyBody');
    if (!content.isWellFormed()) {
      throw new RelayError('InvalidRequest', 'content: not valid Unicode (half of a surrogate pair).', {
        details: { field: 'content' },
      });
    }
    const bytes = Buffer.byteLength(content);
    if (bytes > this.#maxBodyBytes) {
      throw new RelayError(
        'BodyTooLarge',
        `The message has ${bytes} bytes; ${this.#maxBodyBytes} is the limit.`,
      );
    }
  }

  #localAddress(workspace: Workspace, address: Address): Address {
    const { project, target } = address;
    if (project === undefined || project.toLowerCase() === workspace.name.toLowerCase()) return { target };
    throw new RelayError(
      'Unsupported',
      `This daemon does not pass messages between projects (${formatAddress(address)}).`,
      {
        next: `Connect to the project itself: --project ${project === '*' ? 'NAME' : project}`,
      },
    );
  }

  #resolve(workspace: Workspace, { target }: Address): Agent | 'everyone' {
    switch (target.kind) {
      case 'agent':
        return this.#agents.get(workspace, target.name);
      case 'lead':
        return this.#agents.lead(workspace);
      case 'all':
        return 'everyone';
      case 'channel':
        throw new RelayError(
          'ChannelNotFound',
          `No channel #${target.name} exists in project ${workspace.name}.`,
        );
    }
  }

  /** Runs the routing of one sender's messages one after the other, so that a slow first one is not overtaken. */
  async #queue(sender: Agent, route: () => Promise<() => Promise<SendResult>>): Promise<SendResult> {
    const before = this.#routing.get(sender.id) ?? Promise.resolve();
    const mine = before.then(route, route);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#routing.set(sender.id, settled);
    try {
      const append = await mine;
      return await append();
    } finally {
      if (this.#routing.get(sender.id) === settled) this.#routing.delete(sender.id);
    }
  }

  async #ensureConversation(workspace: Workspace, key: string): Promise<Conversation> {
    const cached = this.#conversations.get(`${workspace.id} ${key}`);
    if (cached) return cached;
    const conversation = await this.#store.ensureConversation({
      workspaceId: workspace.id,
      kind: key === '*' ? 'broadcast' : 'dm',
      key,
      createdAt: this.#clock.now(),
    });
    if (this.#conversations.size >= MAX_CACHED_CONVERSATIONS) this.#conversations.clear();
    this.#conversations.set(`${workspace.id} ${key}`, conversation);
    return conversation;
  }

  #append(sender: Agent, clientId: string, params: SendParams, route: Route): Promise<SendResult> {
    const id = this.#newId('msg');
    const draft: MessageDraft = {
      id,
      clientId,
      workspaceId: sender.workspaceId,
      conversationId: route.conversation.id,
      senderId: sender.id,
      audience: route.audience,
      body: params.content,
      // A question without a thread gets one of its own, so that the answer can be told from other messages.
      thread: params.thread ?? (params.await ? id : undefined),
      replyTo: params.replyTo,
      kind: params.kind,
      importance: params.importance,
      awaitsReply: params.await !== undefined,
      createdAt: this.#clock.now(),
      expiresAt: params.expiresAt,
    };
    // No `await` between here and `onStored`: promises of one batch settle in order, and so the messages are handed on.
    return this.#store.appendMessage(draft).then((appended) => this.#stored(sender, draft, route, appended));
  }

  #stored(
    sender: Agent,
    draft: MessageDraft,
    route: Route,
    appended: Appended,
  ): SendResult | Promise<SendResult> {
    if (appended.duplicate === 'other') {
      throw new RelayError(
        'IdConflict',
        `The id "${draft.clientId}" was used before for another message (${appended.id}).`,
      );
    }
    if (appended.duplicate === 'same') return this.#repeated(appended);
    const message = describeMessage(draft, appended.seq, sender.name, route.to);
    this.onStored({
      message,
      senderId: sender.id,
      recipients: appended.recipients,
      workspaceId: draft.workspaceId,
    });
    return this.#result(appended, appended.recipients);
  }

  async #repeated(appended: Appended): Promise<SendResult> {
    const deliveries = await this.#store.deliveriesOf(appended.seq);
    return this.#result(
      appended,
      deliveries.map((delivery) => delivery.recipientId),
    );
  }

  #result({ seq, id, thread, duplicate }: Appended, recipients: number[]): SendResult {
    const absent = recipients.filter((recipient) => !this.#presence.isOnline(recipient));
    const offline = absent
      .slice(0, MAX_NAMED_OFFLINE)
      .map((recipient) => this.#agents.byId(recipient)?.name ?? 'a removed agent');
    return {
      messageId: id,
      seq,
      duplicate: duplicate !== 'no',
      recipients: recipients.length,
      online: recipients.length - absent.length,
      offline,
      ...(thread === undefined ? {} : { thread }),
    };
  }
}

const conversationKey = (sender: Agent, target: Agent | 'everyone'): string =>
  target === 'everyone'
    ? '*'
    : sender.id < target.id
      ? `${sender.id}:${target.id}`
      : `${target.id}:${sender.id}`;

const routeTo = (conversation: Conversation, target: Agent | 'everyone'): Route =>
  target === 'everyone'
    ? { conversation, audience: { kind: 'workspace' }, to: '*' }
    : { conversation, audience: { kind: 'agents', ids: [target.id] }, to: target.name };

/** A message as its readers see it. */
function describeMessage(stored: MessageFields, seq: number, from: string, to: string): Message {
  return {
    seq,
    id: stored.id,
    from,
    to,
    kind: stored.kind,
    importance: stored.importance,
    content: stored.body,
    ts: stored.createdAt,
    ...(stored.thread === undefined ? {} : { thread: stored.thread }),
    ...(stored.replyTo === undefined ? {} : { replyTo: stored.replyTo }),
    ...(stored.expiresAt === undefined ? {} : { expiresAt: stored.expiresAt }),
    ...(stored.awaitsReply ? { awaitsReply: true } : {}),
  };
}

export function describeStored(stored: StoredMessage): Message {
  const to = stored.conversationKind === 'broadcast' ? '*' : (stored.recipientName ?? stored.conversationKey);
  return describeMessage(stored, stored.seq, stored.senderName, to);
}
