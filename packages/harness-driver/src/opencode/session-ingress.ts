import type { PromptAnswer, ReasonInput } from '@agent-relay/protocol';
import type { ChannelIngress, OpenPrompt, PromptSource, WatchedAgent } from '../clis/adapter.ts';
import { type Gate, gateInTurn, gateOf } from '../delivery/gate.ts';
import { Hold } from '../delivery/hold.ts';
import type { Outcome } from '../delivery/ingress.ts';
import { promptOf } from './permission.ts';
import type { PluginReport, SessionFailure, ShownSession } from './plugin-report.ts';
import type { PluginServer } from './plugin-server.ts';

/** An accepted message is in the session within this time. */
const SEEN_MS = 10_000;
/** How long a session that takes no prompt is not asked again, so that the terminal is tried. */
const REFUSED_MS = 30_000;
/** What OpenCode takes for the choices "Allow once" and "Reject" of its own dialog. */
const REPLIES = { allow: 'once', deny: 'reject' } as const;
const LIMIT = /\b(limit|quota|too many requests|429)\b/i;

/** Delivers through the plugin: a message is a prompt of the shown session; nothing is typed. */
export class SessionIngress implements ChannelIngress, PromptSource {
  readonly path = 'native';
  readonly steadyMs = 0;
  onFound: (id: string) => void = () => undefined;
  readonly #plugin: PluginServer;
  readonly #agent: WatchedAgent;
  readonly #hold: Hold;
  #shown: ShownSession = { status: 'idle', asks: false };
  /** Messages given to the session but not seen in it yet, by part id. */
  readonly #unseen = new Map<string, string>();
  #inFlight: { part: string; settle: () => void } | undefined;
  #refusedUntil = 0;
  /** The prompt with the last delivered message, until the model is seen answering it. */
  #prompt: string | undefined;
  #turn: ((isSeen: boolean) => void) | undefined;

  constructor(plugin: PluginServer, agent: WatchedAgent) {
    this.#plugin = plugin;
    this.#agent = agent;
    this.#hold = new Hold(() => agent.onChange());
    plugin.onReport = (report) => {
      this.#reported(report);
      agent.onChange();
    };
    plugin.onChange = () => agent.onChange();
  }

  hold(): ReasonInput | undefined {
    return this.#hold.reason;
  }

  close(): void {
    this.#hold.close();
    this.#turn?.(false);
    this.#inFlight?.settle();
  }

  gate(): Gate {
    const isRefusing = performance.now() < this.#refusedUntil;
    if (!this.#plugin.isConnected || isRefusing) return { wait: { code: 'no_interface' }, isDown: true };
    const { session, status, asks } = this.#shown;
    // On the start page, typing starts the session, with the agent and model chosen there.
    if (session === undefined) return { wait: { code: 'no_interface' }, isDown: true };
    const reading = this.#agent.reading();
    if (asks) return { wait: { code: 'approval_dialog' } };
    // Questions of subagents are only on the screen.
    if (reading.state === 'dialog') return gateOf(reading);
    if (status === 'retry') return { wait: this.#retryReason() };
    if (status === 'idle') return 'open';
    return gateInTurn(this.#agent.attention);
  }

  async deliver({ id, text }: { id: string; text: string }): Promise<Outcome> {
    const { session } = this.#shown;
    if (session === undefined) return 'not begun';
    const part = `prt_${id}`;
    this.#unseen.set(part, id);
    const settled = new Promise<void>((settle) => {
      this.#inFlight = { part, settle };
    });
    const answer = await this.#plugin.request({ prompt: { session, part, text } });
    if (answer?.refused) {
      this.#unseen.delete(part);
      this.#inFlight = undefined;
      // Unless the person has just opened another session.
      if (this.#shown.session === session) this.#refusedUntil = performance.now() + REFUSED_MS;
      return 'not begun';
    }
    const late = setTimeout(() => this.#inFlight?.settle(), SEEN_MS);
    await settled;
    clearTimeout(late);
    this.#inFlight = undefined;
    if (this.#unseen.has(part) && (await this.#isIn(session, part))) this.#unseen.delete(part);
    return this.#unseen.has(part) ? 'uncertain' : 'injected';
  }

  prompt(): OpenPrompt | undefined {
    const { permission } = this.#shown;
    return this.#plugin.isConnected && permission ? promptOf(permission) : undefined;
  }

  async answer(key: string, answer: PromptAnswer): Promise<boolean> {
    const { permission } = this.#shown;
    if (!permission || promptOf(permission)?.key !== key) return false;
    const reply = { permission: permission.id, reply: REPLIES[answer] };
    return (await this.#plugin.request({ reply }))?.taken === true;
  }

  turnStarts(withinMs: number): Promise<boolean> {
    this.#turn?.(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), Math.max(withinMs, SEEN_MS));
      this.#turn = (isSeen) => {
        clearTimeout(timer);
        resolve(isSeen);
      };
    });
  }

  async #isIn(session: string, part: string): Promise<boolean> {
    const answer = await this.#plugin.request({ find: { session, part } });
    return answer?.found === true;
  }

  #reported(report: Parameters<PluginServer['onReport']>[0]): void {
    switch (report.kind) {
      case 'state':
        this.#show(report.state);
        return;
      case 'part':
        this.#stored(report);
        return;
      case 'answers':
        if (report.prompt === this.#prompt) this.#turn?.(true);
        return;
      case 'succeeded':
        if (report.session === this.#shown.session) this.#hold.succeeded();
        return;
      case 'failed':
        if (report.session === this.#shown.session) this.#failed(report.failure);
    }
  }

  #show(shown: ShownSession): void {
    const { session } = shown;
    if (session !== this.#shown.session) this.#hold.anotherSession();
    this.#shown = shown;
    if (session !== undefined) this.#agent.onSession(session);
  }

  #stored({ part, prompt }: Extract<PluginReport, { kind: 'part' }>): void {
    const id = this.#unseen.get(part);
    if (id === undefined) return;
    this.#unseen.delete(part);
    this.#prompt = prompt;
    if (this.#inFlight?.part === part) this.#inFlight.settle();
    else this.onFound(id);
  }

  #failed(failure: SessionFailure): void {
    if (failure.name === 'MessageAbortedError') this.#hold.interrupted();
    else this.#hold.failed(reasonOf(failure));
  }

  /** It retries on its own. */
  #retryReason(): ReasonInput {
    const { message = '', next } = this.#shown;
    return LIMIT.test(message)
      ? { code: 'usage_limit', ...(next !== undefined && { until: next }) }
      : { code: 'busy' };
  }
}

/** What a failed turn means for messages; undefined if the next turn may succeed. */
function reasonOf({ name, message, status }: SessionFailure): ReasonInput | undefined {
  if (name === 'ProviderAuthError' || status === 401) return { code: 'signed_out' };
  if (name === 'ContextOverflowError') return { code: 'context_full' };
  return status === 429 || LIMIT.test(message) ? { code: 'usage_limit' } : undefined;
}
