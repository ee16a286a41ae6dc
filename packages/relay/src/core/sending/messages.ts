import type { Message, NewId, OperationParams, RelayError, SendResult } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Attachments } from '../files/attachments.ts';
import type { Governor } from '../governance/governor.ts';
import { type HeldMessages, type HoldOutcome, wasStored } from '../governance/held.ts';
import type { SendRates } from '../governance/send-rates.ts';
import type { NewMessage } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { HeldMessage, ShownAddress } from '../ports/store/held.ts';
import type { Appended, MessageDraft } from '../ports/store/messages.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Store } from '../ports/store.ts';
import { type Principal, relayItself, requireAgent } from '../principal.ts';
import type { Descriptions } from '../reading/descriptions.ts';
import { checkBody, expiryRefusal, idConflict, isRepetition } from './checks.ts';
import { Conversations } from './conversations.ts';
import { Drafts } from './drafts.ts';
import { heldResult, SendResults, sumOf } from './results.ts';
import type { Routes } from './routes.ts';
import { SenderQueues } from './sender-queues.ts';
import type { DraftedSubmission, PlacedSubmission, Submission } from './submission.ts';
import { clientIdIn, SubmissionRouter } from './submission-router.ts';

interface SendOutcome {
  result: SendResult;
  /** The recipient, if there is only one. */
  recipient: Agent | undefined;
}

/** What is needed to pass a stored message on. For a message that was held, this is all that is left. */
type Storable = Pick<DraftedSubmission, 'sender' | 'draft'> & { route: ShownAddress };

/** The address of everyone in every project. */
const EVERYWHERE = '*:*';

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  agents: Agents;
  presence: Presence;
  attachments: Attachments;
  routes: Routes;
  rates: SendRates;
  governor: Governor;
  held: HeldMessages;
  descriptions: Descriptions;
  /** Whether something wakes an agent for a new message. */
  isWoken: (agentId: number) => boolean;
  maxBodyBytes: number;
}

/** How messages get stored: routed, placed in a conversation, drafted, and then appended or held. */
export class Messages {
  readonly #dependencies: Dependencies;
  readonly #router: SubmissionRouter;
  readonly #conversations: Conversations;
  readonly #drafts: Drafts;
  readonly #results: SendResults;
  readonly #queues = new SenderQueues();
  /** Called for each stored message, in order of seq, before the sender gets its answer. */
  onStored: (stored: NewMessage) => void = () => undefined;
  /** Called when an agent asks a person something. */
  onQuestion: (message: Message, workspaceId: number) => void = () => undefined;
  /** Called when the loop governor pauses an exchange; `agents` are those to notify. */
  onPaused: (workspace: Workspace, agents: Agent[], reason: string) => Promise<void> = () =>
    Promise.resolve();

  constructor(dependencies: Dependencies) {
    const { store, clock, newId, agents } = dependencies;
    this.#dependencies = dependencies;
    this.#router = new SubmissionRouter(dependencies.routes, dependencies.attachments);
    this.#conversations = new Conversations(store, clock);
    this.#drafts = new Drafts(clock, newId, agents);
    this.#results = new SendResults(store, agents, dependencies.presence, dependencies.isWoken);
  }

  /**
   * Stores a message. `clientId` identifies it for retries: the same id and content again are the same message.
   * Messages of one sender are stored in the order of the calls.
   */
  send(principal: Principal, clientId: string, params: OperationParams<'SEND'>): Promise<SendOutcome> {
    const submission: Submission = { principal, sender: requireAgent(principal), clientId, params };
    this.checkContent(params.content);
    const refusal = this.#refusal(submission);
    return refusal ? this.#refuseUnlessKnown(submission, refusal) : this.#accept(submission);
  }

  /** Throws if no message can have this content. */
  checkContent(content: string): void {
    checkBody(content, this.#dependencies.maxBodyBytes);
  }

  /** Stores a message that was held, as if it were sent now. */
  async release({ draft: held, shown }: HeldMessage, sender: Agent): Promise<void> {
    const { store, clock } = this.#dependencies;
    const draft: MessageDraft = { ...held, createdAt: clock.now() };
    await store
      .appendMessage(draft)
      .then((appended) => this.#stored({ sender, draft, route: shown }, appended));
  }

  /** Sends an agent the notice that its own host asks for. It counts as a message of the agent; a retry is the same one. */
  async sendNote(principal: Principal, id: string, content: string): Promise<void> {
    const { rates } = this.#dependencies;
    const agent = requireAgent(principal);
    this.checkContent(content);
    const refusal = rates.take(agent.id);
    if (refusal) throw refusal;
    await this.sendNotice(principal.workspace, agent, content, `note_${agent.id}_${id}`);
  }

  /** Sends a notice of the relay to an agent. */
  async sendNotice(
    workspace: Workspace,
    recipient: Agent,
    content: string,
    clientId = this.#dependencies.newId('note'),
  ): Promise<void> {
    const { agents, routes } = this.#dependencies;
    const sender = await agents.system(workspace);
    const placed = await this.#conversations.place({
      principal: relayItself(workspace, sender),
      sender,
      clientId,
      params: { to: recipient.name, content, kind: 'status', importance: 'normal' },
      route: routes.toAgent(sender, recipient),
      attachments: [],
    });
    await this.#append(placed);
  }

  /** Why a message is not accepted now, although it may have been before. */
  #refusal({ sender, params }: Submission): RelayError | undefined {
    const { clock, rates } = this.#dependencies;
    // What the relay sends counts for the agent that caused it: one agent must not use up the rate of all.
    const rate = () => (sender.type === 'system' ? undefined : rates.take(sender.id));
    return expiryRefusal(params.expiresAt, clock.now()) ?? rate();
  }

  /** A retry of an accepted message succeeds, even if the message would be refused now. */
  async #refuseUnlessKnown(submission: Submission, refusal: RelayError): Promise<SendOutcome> {
    const { principal, sender, params } = submission;
    const clientId =
      params.to === EVERYWHERE ? clientIdIn(principal.workspace, submission.clientId) : submission.clientId;
    const isHeld = this.#dependencies.held.repeatedBy({ senderId: sender.id, clientId }) !== undefined;
    if (!isHeld && !(await this.#dependencies.store.hasSent(sender.id, clientId))) throw refusal;
    return this.#accept(submission);
  }

  /** Reaches the store synchronously if nothing has to be read first. */
  #accept(submission: Submission): Promise<SendOutcome> {
    const { sender, params } = submission;
    if (params.to === EVERYWHERE) return this.#acceptEverywhere(submission);
    const routed = this.#router.route(submission);
    if (!(routed instanceof Promise) && !this.#queues.isWaiting(sender.id)) {
      const placed = this.#conversations.placeIfKnown(routed);
      if (placed) return this.#append(placed);
    }
    // It may have to wait for its turn; until then a failed routing must not be an unhandled rejection.
    if (routed instanceof Promise) routed.catch(() => undefined);
    return this.#queues.run(
      sender.id,
      async () => this.#conversations.place(await routed),
      (placed) => this.#append(placed),
    );
  }

  #acceptEverywhere(submission: Submission): Promise<SendOutcome> {
    return this.#queues.run(
      submission.sender.id,
      async () => {
        const routed = await this.#router.routeEverywhere(submission);
        return Promise.all(routed.map((one) => this.#conversations.place(one)));
      },
      async (placed) => {
        const sent = await Promise.all(placed.map((one) => this.#append(one)));
        return { result: sumOf(sent.map(({ result }) => result)), recipient: undefined };
      },
    );
  }

  #append(placed: PlacedSubmission): Promise<SendOutcome> {
    const { store, governor, held } = this.#dependencies;
    const submission = this.#drafts.draft(placed);
    const { sender, route, draft } = submission;
    const repeated = held.repeatedBy(draft);
    if (repeated) return this.#held(submission, repeated);
    // Messages to a person are never held: the person can judge, and may be the one to decide.
    const verdict =
      route.recipient?.type === 'human'
        ? undefined
        : governor.judge(sender, draft.conversationId, draft.body);
    if (verdict) return this.#hold(submission, verdict);
    // No `await` between here and `onStored`: promises of one batch settle in order, so messages are passed on in order.
    return store.appendMessage(draft).then((appended) => this.#appended(submission, appended));
  }

  #appended(submission: DraftedSubmission, appended: Appended): SendOutcome | Promise<SendOutcome> {
    const { recipient } = submission.route;
    const result = this.#stored(submission, appended);
    return result instanceof Promise
      ? result.then((repeated) => ({ result: repeated, recipient }))
      : { result, recipient };
  }

  /** Passes a stored message on. Synchronous, unless it was stored before: then nothing new happened. */
  #stored({ sender, draft, route }: Storable, appended: Appended): SendResult | Promise<SendResult> {
    if (appended.duplicate === 'other') throw idConflict(draft.clientId, appended.id);
    const mentioned = route.channel === undefined ? [] : draft.mentions.map(({ id }) => id);
    const others = mentioned.filter((id) => id !== sender.id);
    if (appended.duplicate === 'same') return this.#results.repeated(appended, others);
    const { governor, descriptions } = this.#dependencies;
    const { recipients, seq } = appended;
    governor.delivered(sender, draft.conversationId, recipients, draft.body);
    const message = descriptions.draft(draft, seq, sender, route);
    if (this.#asksPerson(draft, sender, recipients)) this.onQuestion(message, draft.workspaceId);
    // First: a waiting recipient no longer counts as waiting once the message is passed on.
    const result = this.#results.stored(appended, recipients, others);
    this.onStored({ message, senderId: sender.id, recipients, workspaceId: draft.workspaceId });
    return result;
  }

  #asksPerson({ kind, awaitsReply }: MessageDraft, sender: Agent, recipients: number[]): boolean {
    if (sender.type === 'human' || (kind !== 'question' && !awaitsReply)) return false;
    return recipients.some((recipient) => this.#dependencies.agents.byId(recipient)?.type === 'human');
  }

  async #hold(
    submission: DraftedSubmission,
    { reason, first }: { reason: string; first: boolean },
  ): Promise<SendOutcome> {
    const outcome = await this.#held(submission, this.#dependencies.held.hold(submission, reason));
    const { sender, route } = submission;
    if (first && outcome.result.held !== undefined)
      await this.onPaused(route.workspace, route.recipient ? [sender, route.recipient] : [sender], reason);
    return outcome;
  }

  /** The message is held, now or since an earlier attempt; or it was stored before. */
  async #held(submission: DraftedSubmission, holding: Promise<HoldOutcome>): Promise<SendOutcome> {
    const { draft, route } = submission;
    const held = await holding;
    if (wasStored(held)) return this.#appended(submission, held);
    if (!isRepetition(draft, held.draft)) throw idConflict(draft.clientId, held.id);
    return { result: heldResult(held, draft), recipient: route.recipient };
  }
}
