import type { PromptAnswer, ReasonInput } from '@agent-relay/protocol';
import type { ChannelIngress, OpenPrompt, WatchedAgent } from '../clis/adapter.ts';
import { type Gate, gateInTurn } from '../delivery/gate.ts';
import { Hold } from '../delivery/hold.ts';
import type { Outcome } from '../delivery/ingress.ts';
import type { AppServerProxy } from './app-server-proxy.ts';
import { DECISIONS, FileChanges, promptOf } from './approvals.ts';
import { at, type RpcMessage, textAt } from './rpc.ts';
import { ShownThread } from './shown-thread.ts';

/** An accepted message is in the thread within this time, unless a tool is still running. */
const SEEN_MS = 10_000;
/** How long a server that starts no turn is not asked again, so that the terminal is tried. */
const REFUSED_MS = 30_000;

/** Delivers through the app server: a message starts a turn of the shown thread, or joins the current one. */
export class ThreadIngress implements ChannelIngress {
  readonly path = 'native';
  readonly steadyMs = 0;
  onFound: (id: string) => void = () => undefined;
  readonly #proxy: AppServerProxy;
  readonly #agent: WatchedAgent;
  readonly #hold: Hold;
  readonly #thread = new ShownThread();
  readonly #changes = new FileChanges();
  /** Messages given to the server but not seen in the thread yet. */
  readonly #unseen = new Set<string>();
  #inFlight: { id: string; settle: () => void } | undefined;
  #refusedUntil = 0;
  #turn: { id: string | undefined; told: (isSeen: boolean) => void } | undefined;

  constructor(proxy: AppServerProxy, agent: WatchedAgent) {
    this.#proxy = proxy;
    this.#agent = agent;
    this.#hold = new Hold(() => agent.onChange());
    proxy.onExchange = (exchange) => {
      const before = this.#thread.id;
      this.#thread.exchanged(exchange);
      const { id } = this.#thread;
      if (id !== before) this.#hold.anotherSession();
      if (id !== undefined) agent.onSession(id);
      agent.onChange();
    };
    proxy.onNotification = (message) => {
      this.#changes.notified(message);
      this.#notified(message);
      agent.onChange();
    };
    proxy.onChange = () => agent.onChange();
  }

  hold(): ReasonInput | undefined {
    return this.#hold.reason;
  }

  close(): void {
    this.#hold.close();
    this.#turn?.told(false);
    this.#inFlight?.settle();
  }

  gate(): Gate {
    const isRefusing = performance.now() < this.#refusedUntil;
    if (!this.#proxy.isConnected || isRefusing) return { wait: { code: 'no_interface' }, isDown: true };
    const { id, isActive, asks } = this.#thread;
    if (id === undefined) return { wait: { code: 'starting' } };
    if (asks) return { wait: { code: 'approval_dialog' } };
    if (!isActive) return 'open';
    return gateInTurn(this.#agent.attention);
  }

  prompt(): OpenPrompt | undefined {
    return this.#asked()?.prompt;
  }

  async answer(key: string, answer: PromptAnswer): Promise<boolean> {
    const asked = this.#asked();
    if (asked?.id === undefined || asked.prompt.key !== key) return false;
    return this.#proxy.answer(asked.id, DECISIONS[answer]);
  }

  async deliver({ id, text }: { id: string; text: string }): Promise<Outcome> {
    const { id: threadId, turn, isActive } = this.#thread;
    if (threadId === undefined || (isActive && turn === undefined)) return 'not begun';
    this.#unseen.add(id);
    const settled = new Promise<void>((settle) => {
      this.#inFlight = { id, settle };
    });
    const message = { threadId, clientUserMessageId: id, input: [{ type: 'text', text }] };
    const answer = isActive
      ? await this.#proxy.request('turn/steer', { ...message, expectedTurnId: turn })
      : await this.#proxy.request('turn/start', message);
    if (answer?.error !== undefined) {
      this.#unseen.delete(id);
      this.#inFlight = undefined;
      // The turn has just ended; the next attempt starts one.
      if (!isActive) this.#refusedUntil = performance.now() + REFUSED_MS;
      return 'not begun';
    }
    // A message in a turn may wait for a tool, at most until the end of the turn.
    if (answer === undefined || !isActive) this.#settleLater();
    await settled;
    this.#inFlight = undefined;
    return this.#unseen.has(id) ? 'uncertain' : 'injected';
  }

  turnStarts(withinMs: number): Promise<boolean> {
    this.#turn?.told(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), Math.max(withinMs, SEEN_MS));
      const told = (isSeen: boolean) => {
        clearTimeout(timer);
        resolve(isSeen);
      };
      this.#turn = { id: this.#thread.turn, told };
    });
  }

  #settleLater(): void {
    const { settle } = this.#inFlight ?? {};
    if (settle) setTimeout(settle, SEEN_MS).unref();
  }

  /** The oldest request of the shown thread: the one its terminal displays. */
  #asked(): { id: string | number | undefined; prompt: OpenPrompt } | undefined {
    for (const request of this.#proxy.openRequests) {
      if (textAt(request.params, 'threadId') !== this.#thread.id) continue;
      const prompt = promptOf(request, this.#changes);
      return prompt && { id: request.id, prompt };
    }
    return undefined;
  }

  #notified(message: RpcMessage): void {
    const { method, params } = message;
    this.#thread.notified(message);
    if (textAt(params, 'threadId') !== this.#thread.id) return;
    if (method === 'item/started' || method === 'item/completed') this.#item(params);
    if (method === 'turn/completed') this.#turnEnded(at(params, 'turn'));
  }

  #item(params: unknown): void {
    if (textAt(params, 'item', 'type') !== 'userMessage') {
      // Everything else in a turn comes from the model.
      if (this.#turn?.id === textAt(params, 'turnId')) this.#turn?.told(true);
      return;
    }
    const id = textAt(params, 'item', 'clientId');
    if (id === undefined || !this.#unseen.delete(id)) return;
    if (this.#inFlight?.id === id) this.#inFlight.settle();
    else this.onFound(id);
  }

  #turnEnded(turn: unknown): void {
    this.#settleLater();
    if (this.#turn?.id === textAt(turn, 'id') && textAt(turn, 'status') === 'completed')
      this.#turn?.told(true);
    switch (textAt(turn, 'status')) {
      case 'interrupted':
        this.#hold.interrupted();
        break;
      case 'failed':
        this.#hold.failed(failureOf(at(turn, 'error')));
        break;
      default:
        this.#hold.succeeded();
    }
  }
}

/** Models of other providers have no code for it. */
function failureIn(message: string): ReasonInput | undefined {
  if (/\bstatus 401\b|^Missing environment variable:/.test(message)) return { code: 'signed_out' };
  return /\blast status: 429\b/.test(message) ? { code: 'usage_limit' } : undefined;
}

/** What a failed turn means for messages; undefined if the next turn may succeed. */
function failureOf(error: unknown): ReasonInput | undefined {
  switch (at(error, 'codexErrorInfo')) {
    case 'usageLimitExceeded':
    case 'rateLimitExceeded':
      return { code: 'usage_limit' };
    case 'unauthorized':
      return { code: 'signed_out' };
    case 'contextWindowExceeded':
      return { code: 'context_full' };
    default:
      return failureIn(textAt(error, 'message') ?? '');
  }
}
