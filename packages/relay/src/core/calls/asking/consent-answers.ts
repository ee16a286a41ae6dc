import { type ConsentOutcome, MAX_TIMEOUT_MS, type OperationParams, RelayError } from '@agent-relay/protocol';
import type { Agents } from '../../directory/agents.ts';
import type { CallNews } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoredMessage } from '../../ports/store/messages.ts';
import type { Workspace } from '../../ports/store/workspaces.ts';
import type { Store } from '../../ports/store.ts';
import { type Principal, relayItself, requireAgent } from '../../principal.ts';
import type { Messages } from '../../sending/messages.ts';
import type { OpenCall } from '../open-call.ts';
import { noteId, type Questions } from './questions.ts';

interface Dependencies {
  store: Store;
  clock: Clock;
  agents: Agents;
  messages: Messages;
  questions: Questions;
  newId: (word: string) => string;
}

/** The daemon with the call takes a decision at once. */
const TAKEN_MS = 5000;
/** A call that ends so soon is reported with its end. */
const SHORT_CALL_MS = 2000;
/** More than can wait at once. */
const MOST_LOST = 500;

/** The decisions about calls that need consent. What is confirmed was observed: that the call was made, and how it ended. */
export class ConsentAnswers {
  readonly #dependencies: Dependencies;
  /** The calls of this daemon that wait for consent, by the message that asks. */
  readonly #open = new Map<string, OpenCall>();
  /** Those who want to know what becomes of a decision, by the same. */
  readonly #followers = new Map<string, Set<(outcome: ConsentOutcome) => void>>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** The call waits for consent from now on; returns how to say that it does no longer. */
  opened(question: string, call: OpenCall): () => void {
    this.#open.set(question, call);
    return () => void this.#open.delete(question);
  }

  /** Why a reply to this message would change nothing: it asked for consent to a call that waits no longer. */
  refusal(message: StoredMessage): RelayError | undefined {
    if (!this.#asksForConsent(message) || this.#open.has(message.id)) return undefined;
    const { store, clock } = this.#dependencies;
    const { expiresAt = 0 } = message;
    // Another daemon on the same database may have the call.
    return store.isShared && expiresAt > clock.now() ? undefined : new RelayError('CallEnded');
  }

  async answer(
    principal: Principal,
    { message: id, answer }: OperationParams<'CONSENT_ANSWER'>,
  ): Promise<ConsentOutcome> {
    const { store, messages, clock, newId } = this.#dependencies;
    const person = requireAgent(principal);
    const message = await store.visibleMessage(person.id, principal.workspace.id, id);
    if (!message) throw new RelayError('MessageNotFound', `There is no message ${id}, or you cannot see it.`);
    if (!this.#asksForConsent(message))
      throw new RelayError('InvalidRequest', `message: ${id} does not ask for consent to a call.`);
    if (principal.unverified || message.recipientName !== person.name)
      throw new RelayError('Forbidden', `Only ${message.recipientName} was asked to allow this call.`);
    const refusal = this.refusal(message);
    if (refusal) throw refusal;
    const steps = this.#follow(id);
    try {
      const content = answer === 'allow' ? 'yes' : 'no';
      const reply = { content, replyTo: id, kind: 'free', importance: 'normal' } as const;
      await messages.send(principal, newId('consent'), reply);
      const taken = await steps.next(clock, TAKEN_MS);
      // The daemon that had the call is gone, and the call with it.
      if (!taken) throw new RelayError('CallEnded');
      if (taken.call !== 'running') return taken;
      return (await steps.next(clock, SHORT_CALL_MS)) ?? taken;
    } finally {
      steps.stop();
    }
  }

  heard(news: CallNews): void {
    if (news.step !== 'decided') return;
    for (const tell of this.#followers.get(news.question) ?? []) tell(news.outcome);
  }

  /**
   * Closes the questions of an earlier run of this daemon: their calls ended with it. On a shared database nobody knows whose
   * they are; there they expire.
   */
  async closeLost(workspace: Workspace): Promise<void> {
    const { store, clock, agents, questions } = this.#dependencies;
    const relay = agents.list(workspace).find(({ type }) => type === 'system');
    if (store.isShared || !relay) return;
    const asked = await store.history({
      workspaceId: workspace.id,
      viewer: undefined,
      involvingId: relay.id,
      kind: 'question',
      since: clock.now() - MAX_TIMEOUT_MS,
      limit: MOST_LOST,
    });
    for (const question of asked) {
      const { id, senderId, expiresAt = 0 } = question;
      if (senderId !== relay.id || expiresAt <= clock.now() || this.#open.has(id)) continue;
      if (await this.#isSettled(question)) continue;
      questions.close(
        relayItself(workspace, relay),
        id,
        'No reply is needed any more: the daemon was restarted, and the call ended with it.',
      );
    }
  }

  async #isSettled({ id, seq, senderId, thread = id }: StoredMessage): Promise<boolean> {
    const { store } = this.#dependencies;
    if (await store.hasSent(senderId, noteId(id, 'closed'))) return true;
    for (const { recipientId } of await store.deliveriesOf(seq)) {
      const question = { seq, id, thread };
      const pair = { senderId: recipientId, recipientId: senderId };
      if (await store.findReply({ ...pair, after: seq, question })) return true;
    }
    return false;
  }

  #asksForConsent({ senderId, kind }: StoredMessage): boolean {
    return kind === 'question' && this.#dependencies.agents.byId(senderId)?.type === 'system';
  }

  #follow(question: string): Steps {
    const steps = new Steps(() => {
      followers.delete(steps.heard);
      if (followers.size === 0) this.#followers.delete(question);
    });
    const followers = this.#followers.get(question) ?? new Set();
    this.#followers.set(question, followers.add(steps.heard));
    return steps;
  }
}

/** What becomes of one decision, step by step. */
class Steps {
  readonly stop: () => void;
  readonly #known: ConsentOutcome[] = [];
  #wake: () => void = () => undefined;

  constructor(stop: () => void) {
    this.stop = stop;
  }

  readonly heard = (outcome: ConsentOutcome): void => {
    this.#known.push(outcome);
    this.#wake();
  };

  /** The next step, or undefined if it takes longer. */
  async next(clock: Clock, withinMs: number): Promise<ConsentOutcome | undefined> {
    if (this.#known.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const stopTimer = clock.after(withinMs, resolve);
      await promise;
      stopTimer();
    }
    return this.#known.shift();
  }
}
