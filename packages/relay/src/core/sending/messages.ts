import type { Message, NewId, RelayError, SendResult } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Governor } from '../governance/governor.ts';
import { type HeldMessages, isStored, type Kept } from '../governance/held.ts';
import type { SendRates } from '../governance/send-rates.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { Conversation } from '../ports/store/conversations.ts';
import type { Appended, MessageDraft } from '../ports/store/messages.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Store } from '../ports/store.ts';
import { type Principal, requireAgent } from '../principal.ts';
import type { Descriptions, ShownRoute } from '../reading/descriptions.ts';
import { alreadyExpired, checkBody, idConflict, isRepetition } from './checks.ts';
import { Conversations } from './conversations.ts';
import { findMentions } from './mentions.ts';
import { type Plan, Plans, type SendParams } from './plans.ts';
import { heldResult, SendResults, sumOf } from './results.ts';
import type { Route, Routes } from './routes.ts';
import { SenderQueues } from './sender-queues.ts';

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

/** The address of everybody in every project. */
const EVERYWHERE = '*:*';

interface Parts {
  store: Store;
  clock: Clock;
  newId: NewId;
  agents: Agents;
  presence: Presence;
  routes: Routes;
  rates: SendRates;
  governor: Governor;
  held: HeldMessages;
  descriptions: Descriptions;
  maxBodyBytes: number;
}

/** How messages get stored. */
export class Messages {
  readonly #parts: Parts;
  readonly #plans: Plans;
  readonly #conversations: Conversations;
  readonly #results: SendResults;
  readonly #queues = new SenderQueues();
  /** Called for each stored message, in order of seq, before the sender is told. */
  onStored: (stored: Stored) => void = () => undefined;
  /** Called when an agent asks a person something. */
  onQuestion: (message: Message, workspaceId: number) => void = () => undefined;
  /** Called when the loop governor keeps back a message of an exchange whose agents do not know yet. */
  onPaused: (workspace: Workspace, agents: Agent[], reason: string) => Promise<void> = () =>
    Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#plans = new Plans(parts.store, parts.routes);
    this.#conversations = new Conversations(parts.store, parts.clock);
    this.#results = new SendResults(parts.store, parts.agents, parts.presence);
  }

  /**
   * Stores a message. `clientId` names it for retries: the same id and content again are the same message.
   * Messages of one sender are stored in the order of the calls.
   */
  send(principal: Principal, clientId: string, params: SendParams): Promise<Sent> {
    const sender = requireAgent(principal);
    checkBody(params.content, this.#parts.maxBodyBytes);
    const refusal = this.#refusal(sender, params);
    if (refusal) return this.#refuseUnlessKnown(refusal, principal, sender, clientId, params);
    return this.#accept(principal, sender, clientId, params);
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
    const conversation = await this.#conversations.ensure(route);
    const plan = { route, attachments: [], unverified: false };
    await this.#append(sender, this.#parts.newId('note'), params, plan, conversation);
  }

  /** A message that was taken before stays so, and its sender is told, whatever speaks against taking it now. */
  async #refuseUnlessKnown(
    refusal: RelayError,
    principal: Principal,
    sender: Agent,
    clientId: string,
    params: SendParams,
  ): Promise<Sent> {
    const { held, store } = this.#parts;
    const id = params.to === EVERYWHERE ? idIn(principal.workspace, clientId) : clientId;
    const isHeld = held.repeatedBy({ senderId: sender.id, clientId: id }) !== undefined;
    if (!isHeld && !(await store.hasSent(sender.id, id))) throw refusal;
    return this.#accept(principal, sender, clientId, params);
  }

  #accept(principal: Principal, sender: Agent, clientId: string, params: SendParams): Promise<Sent> {
    if (params.to === EVERYWHERE) return this.#acceptEverywhere(principal, sender, clientId, params);
    const plan = this.#plans.toOne(principal, sender, params);
    if (!(plan instanceof Promise) && !this.#queues.isWaiting(sender.id)) {
      const conversation = this.#conversations.known(plan.route);
      if (conversation) return this.#append(sender, clientId, params, plan, conversation);
    }
    // It may have to wait for its turn: a way that was not found is told when it comes, not as unhandled before.
    if (plan instanceof Promise) plan.catch(() => undefined);
    return this.#queues.run(sender.id, async () => {
      const ready = await plan;
      const conversation = await this.#conversations.ensure(ready.route);
      return () => this.#append(sender, clientId, params, ready, conversation);
    });
  }

  #acceptEverywhere(
    principal: Principal,
    sender: Agent,
    clientId: string,
    params: SendParams,
  ): Promise<Sent> {
    return this.#queues.run(sender.id, async () => {
      const plans = await this.#plans.everywhere(principal, sender, params);
      const ready = await Promise.all(
        plans.map(async (plan) => ({ plan, conversation: await this.#conversations.ensure(plan.route) })),
      );
      return async () => {
        const appending = ready.map(({ plan, conversation }) =>
          this.#append(sender, idIn(plan.route.workspace, clientId), params, plan, conversation),
        );
        const results = (await Promise.all(appending)).map(({ result }) => result);
        return { result: sumOf(results), recipient: undefined };
      };
    });
  }

  /** Why a message is not taken now, though it may have been before. */
  #refusal(sender: Agent, { expiresAt }: SendParams): RelayError | undefined {
    return alreadyExpired(expiresAt, this.#parts.clock.now()) ?? this.#parts.rates.take(sender.id);
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
    if (appended.duplicate === 'same') return this.#results.repeated(appended);
    const { recipients, seq } = appended;
    this.#parts.governor.delivered(sender, draft.conversationId, recipients, draft.body);
    const message = this.#parts.descriptions.draft(draft, seq, sender, names);
    if (this.#asksPerson(draft, sender, recipients)) this.onQuestion(message, draft.workspaceId);
    this.onStored({ message, senderId: sender.id, recipients, workspaceId: draft.workspaceId });
    return this.#results.stored(appended, recipients);
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
    return { result: heldResult(kept, draft), recipient: route.recipient };
  }
}

/** The id of a message to every project in one of them. */
const idIn = (workspace: Workspace, clientId: string): string => `${clientId}@${workspace.id}`;
