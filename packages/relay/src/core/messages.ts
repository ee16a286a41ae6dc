import {
  type AttachmentInfo,
  type Message,
  type NewId,
  type OperationParams,
  RelayError,
  type SendResult,
} from '@agent-relay/protocol';
import type { Agents } from './agents.ts';
import { attachmentInfo, type Descriptions, type ShownRoute } from './describe.ts';
import type { Governor } from './governor.ts';
import { type HeldMessages, isStored, type Kept } from './held.ts';
import { findMentions } from './mentions.ts';
import type { Clock } from './ports/clock.ts';
import type { Agent, Appended, Conversation, MessageDraft, Store, Workspace } from './ports/store.ts';
import type { Presence } from './presence.ts';
import { type Principal, requireAgent } from './principal.ts';
import type { Rates } from './rates.ts';
import type { Route, Routes } from './routes.ts';
import { awaitsOneAgent, checkContent, idConflict, isRepetition } from './send-checks.ts';

/** What was stored, for those who hand it on: receivers, awaits. */
export interface Stored {
  message: Message;
  senderId: number;
  recipients: number[];
  workspaceId: number;
}

export interface Sent {
  result: SendResult;
  /** The one agent it is for, if it is for one. */
  recipient: Agent | undefined;
}

type SendParams = OperationParams<'SEND'>;
/** A message ready to be stored, but for the id of its conversation. */
type Plan = { route: Route; attachments: AttachmentInfo[]; unverified: boolean };

/** Beyond so many the cache of conversations starts anew: it saves reads, it is not the truth. */
const MAX_CACHED_CONVERSATIONS = 100_000;
/** A send result names no more absent recipients than a person would read. */
const MAX_NAMED_OFFLINE = 20;

interface Parts {
  store: Store;
  clock: Clock;
  newId: NewId;
  agents: Agents;
  presence: Presence;
  routes: Routes;
  rates: Rates;
  governor: Governor;
  held: HeldMessages;
  descriptions: Descriptions;
  maxBodyBytes: number;
}

/** How messages get stored. */
export class Messages {
  readonly #parts: Parts;
  readonly #conversations = new Map<string, Conversation>();
  /** Senders with a message whose way is still being looked up: their later messages queue behind it. */
  readonly #routing = new Map<number, Promise<unknown>>();
  /** Called for each stored message, in order of seq, before the sender is told. */
  onStored: (stored: Stored) => void = () => undefined;
  /** Called when an agent asks a person something. */
  onQuestion: (message: Message, workspaceId: number) => void = () => undefined;
  /** Called when the loop governor keeps back a message of an exchange whose agents do not know yet. */
  onPaused: (workspace: Workspace, agents: Agent[], reason: string) => Promise<void> = () =>
    Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Stores a message. `clientId` names it for retries: the same id and content again are the same message.
   * Messages of one sender are stored in the order of the calls.
   */
  send(principal: Principal, clientId: string, params: SendParams): Promise<Sent> {
    const sender = requireAgent(principal);
    const { clock, maxBodyBytes, rates } = this.#parts;
    checkContent(params, maxBodyBytes, clock.now());
    rates.take(sender.id);
    if (params.to === '*:*') return this.#sendEverywhere(principal, sender, clientId, params);
    const plan = this.#plan(principal, sender, params);
    if (!(plan instanceof Promise) && !this.#routing.has(sender.id)) {
      const conversation = this.#conversations.get(conversationName(plan.route));
      if (conversation) return this.#append(sender, clientId, params, plan, conversation);
    }
    // It may have to wait for its turn: a way that was not found is told when it comes, not as unhandled before.
    if (plan instanceof Promise) plan.catch(() => undefined);
    return this.#queue(sender, async () => {
      const ready = await plan;
      const conversation = await this.#conversation(ready.route);
      return () => this.#append(sender, clientId, params, ready, conversation);
    });
  }

  /** Stores a message that was kept back, as if it were sent now. */
  async release(draft: MessageDraft, sender: Agent, names: ShownRoute): Promise<SendResult> {
    const fresh: MessageDraft = { ...draft, createdAt: this.#parts.clock.now() };
    return this.#parts.store
      .appendMessage(fresh)
      .then((appended) => this.#stored(sender, fresh, names, appended));
  }

  /** The relay itself says something to an agent. */
  async announce(sender: Agent, recipient: Agent, content: string): Promise<void> {
    const route = this.#parts.routes.toAgent(sender, recipient);
    const params: SendParams = { to: recipient.name, content, kind: 'status', importance: 'normal' };
    const conversation = await this.#conversation(route);
    const plan = { route, attachments: [], unverified: false };
    await this.#append(sender, this.#parts.newId('note'), params, plan, conversation);
  }

  async #sendEverywhere(
    principal: Principal,
    sender: Agent,
    clientId: string,
    params: SendParams,
  ): Promise<Sent> {
    if (params.await) throw awaitsOneAgent();
    const results: SendResult[] = [];
    for (const route of this.#parts.routes.everywhere(principal, sender)) {
      const conversation = await this.#conversation(route);
      const id = `${clientId}@${route.workspace.id}`;
      const attachments = await this.#attachments(principal, params);
      const plan = { route, attachments, unverified: principal.unverified };
      results.push((await this.#append(sender, id, params, plan, conversation)).result);
    }
    const [first] = results;
    if (!first) throw new RelayError('ProjectNotFound', 'There is no project to write to.');
    const sum = (field: 'recipients' | 'online') =>
      results.reduce((total, result) => total + result[field], 0);
    const offline = results.flatMap((result) => result.offline).slice(0, MAX_NAMED_OFFLINE);
    return {
      result: { ...first, recipients: sum('recipients'), online: sum('online'), offline },
      recipient: undefined,
    };
  }

  #plan(principal: Principal, sender: Agent, params: SendParams): Plan | Promise<Plan> {
    const { unverified } = principal;
    const route = this.#parts.routes.route(principal, sender, params);
    if (!(route instanceof Promise) && params.attachments === undefined) {
      return checkedPlan(params, { route, attachments: [], unverified });
    }
    return Promise.all([route, this.#attachments(principal, params)]).then(([found, attachments]) =>
      checkedPlan(params, { route: found, attachments, unverified }),
    );
  }

  async #attachments(principal: Principal, params: SendParams): Promise<AttachmentInfo[]> {
    const found: AttachmentInfo[] = [];
    for (const id of params.attachments ?? []) {
      const attachment = await this.#parts.store.visibleAttachment(
        principal.agent?.id,
        principal.workspace.id,
        id,
      );
      if (!attachment) throw new RelayError('AttachmentNotFound', `No file ${id} can be seen by you.`);
      found.push(attachmentInfo(attachment));
    }
    return found;
  }

  /** Looks up the ways of one sender's messages one after the other, so that a slow first one is not overtaken. */
  async #queue(sender: Agent, lookUp: () => Promise<() => Promise<Sent>>): Promise<Sent> {
    const before = this.#routing.get(sender.id) ?? Promise.resolve();
    const mine = before.then(lookUp);
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

  async #conversation(route: Route): Promise<Conversation> {
    const name = conversationName(route);
    const cached = this.#conversations.get(name);
    if (cached) return cached;
    const conversation = await this.#parts.store.ensureConversation({
      workspaceId: route.workspace.id,
      ...route.conversation,
      createdAt: this.#parts.clock.now(),
    });
    if (this.#conversations.size >= MAX_CACHED_CONVERSATIONS) this.#conversations.clear();
    this.#conversations.set(name, conversation);
    return conversation;
  }

  #append(
    sender: Agent,
    clientId: string,
    params: SendParams,
    plan: Plan,
    conversation: Conversation,
  ): Promise<Sent> {
    const { store, clock, newId, governor, held, agents } = this.#parts;
    const { route } = plan;
    const id = newId('msg');
    const draft: MessageDraft = {
      id,
      clientId,
      workspaceId: route.workspace.id,
      conversationId: conversation.id,
      senderId: sender.id,
      unverified: plan.unverified,
      audience: route.audience,
      body: params.content,
      // A question without a thread gets one of its own, so that the answer can be told from other messages.
      thread: params.thread ?? route.thread ?? (params.await ? id : undefined),
      replyTo: params.replyTo,
      kind: params.kind,
      importance: params.importance,
      awaitsReply: params.await !== undefined,
      createdAt: clock.now(),
      expiresAt: params.expiresAt,
      mentions: findMentions(params.content, (name) => agents.find(route.workspace, name)),
      attachments: plan.attachments,
    };
    const repeated = held.repeatedBy(draft);
    if (repeated) return this.#kept(repeated, draft, sender, route);
    // A person can look for themselves, and may be the one who is asked whether to go on.
    const verdict =
      route.recipient?.type === 'human' ? undefined : governor.judge(sender, conversation.id, params.content);
    if (verdict) return this.#hold(draft, sender, route, verdict);
    // No `await` between here and `onStored`: promises of one batch settle in order, and so the messages are handed on.
    return store.appendMessage(draft).then((appended) => this.#sent(sender, draft, route, appended));
  }

  #sent(sender: Agent, draft: MessageDraft, route: Route, appended: Appended): Sent | Promise<Sent> {
    const result = this.#stored(sender, draft, route, appended);
    if (!(result instanceof Promise)) return { result, recipient: route.recipient };
    return result.then((repeated) => ({ result: repeated, recipient: route.recipient }));
  }

  #stored(
    sender: Agent,
    draft: MessageDraft,
    names: ShownRoute,
    appended: Appended,
  ): SendResult | Promise<SendResult> {
    if (appended.duplicate === 'other') throw idConflict(draft.clientId, appended.id);
    if (appended.duplicate === 'same') return this.#repeated(appended);
    const { recipients, seq } = appended;
    this.#parts.governor.delivered(sender, draft.conversationId, recipients, draft.body);
    const message = this.#parts.descriptions.draft(draft, seq, sender, names);
    if (this.#asksPerson(draft, sender, recipients)) this.onQuestion(message, draft.workspaceId);
    this.onStored({ message, senderId: sender.id, recipients, workspaceId: draft.workspaceId });
    return this.#result(appended, recipients);
  }

  #asksPerson({ kind, awaitsReply }: MessageDraft, sender: Agent, recipients: number[]): boolean {
    if (sender.type !== 'agent' || (kind !== 'question' && !awaitsReply)) return false;
    return recipients.some((recipient) => this.#parts.agents.byId(recipient)?.type === 'human');
  }

  async #hold(
    draft: MessageDraft,
    sender: Agent,
    route: Route,
    { reason, first }: { reason: string; first: boolean },
  ): Promise<Sent> {
    const sent = await this.#kept(this.#parts.held.keep(draft, sender, route, reason), draft, sender, route);
    const { recipient, workspace } = route;
    if (first && sent.result.held !== undefined)
      await this.onPaused(workspace, recipient ? [sender, recipient] : [sender], reason);
    return sent;
  }

  async #kept(keeping: Promise<Kept>, draft: MessageDraft, sender: Agent, route: Route): Promise<Sent> {
    const kept = await keeping;
    if (isStored(kept)) return this.#sent(sender, draft, route, kept);
    if (!isRepetition(draft, kept.draft)) throw idConflict(draft.clientId, kept.id);
    const result = {
      messageId: kept.id,
      seq: 0,
      duplicate: kept.id !== draft.id,
      recipients: 0,
      online: 0,
      offline: [],
      held: kept.reason,
    };
    return { result, recipient: route.recipient };
  }

  async #repeated(appended: Appended): Promise<SendResult> {
    const deliveries = await this.#parts.store.deliveriesOf(appended.seq);
    return this.#result(
      appended,
      deliveries.map((delivery) => delivery.recipientId),
    );
  }

  #result({ seq, id, thread, duplicate }: Appended, recipients: number[]): SendResult {
    const { presence, agents } = this.#parts;
    const absent = recipients.filter((recipient) => !presence.isOnline(recipient));
    return {
      messageId: id,
      seq,
      duplicate: duplicate !== 'no',
      recipients: recipients.length,
      online: recipients.length - absent.length,
      offline: absent
        .slice(0, MAX_NAMED_OFFLINE)
        .map((recipient) => agents.byId(recipient)?.name ?? 'a removed agent'),
      ...(thread === undefined ? {} : { thread }),
    };
  }
}

const conversationName = ({ workspace, conversation }: Route): string =>
  `${workspace.id} ${conversation.key}`;

function checkedPlan(params: SendParams, plan: Plan): Plan {
  if (params.await && !plan.route.recipient) throw awaitsOneAgent();
  return plan;
}
