import { type CallProgress, type OperationParams, RelayError } from '@agent-relay/protocol';
import type { Caller } from '../operations/caller.ts';
import type { Bus, CallNews } from '../ports/bus.ts';
import { requireAgent } from '../principal.ts';
import type { ServedTools } from './served-tools.ts';
import { Serving } from './serving.ts';
import { notReached } from './targets.ts';

interface Parts {
  bus: Bus;
  newId: (word: string) => string;
  served: ServedTools;
}

/** The connections of this daemon that handle calls. */
export class Callees {
  readonly #parts: Parts;
  readonly #serving = new Map<string, Serving>();
  /** The ids of the connections of this daemon begin with it. */
  readonly #prefix: string;
  #count = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#prefix = `${parts.newId('srv')}-`;
  }

  /** The connection handles calls of these tools and actions from now on; calls it already handles continue. */
  serve(connection: Caller, offer: OperationParams<'SERVE'>, requestId: string): void {
    const agent = requireAgent(connection.principal);
    const { served } = this.#parts;
    const known = connection.serving;
    const id = known?.id ?? `${this.#prefix}${++this.#count}`;
    served.replace(id, agent, offer);
    if (known || offer.tools.length + offer.actions.length === 0) return;
    const ongoing = connection.begin(requestId, 'tools');
    const serving = new Serving(id, agent, ongoing);
    connection.serving = serving;
    this.#serving.set(id, serving);
    ongoing.onEnd = () => {
      connection.serving = undefined;
      this.#serving.delete(id);
      served.drop(id, agent);
      for (const { callId } of serving.openCalls)
        this.#fail(callId, serving.isOpen(callId) ? calleeGone(agent.name) : notReached(agent));
      this.#publish({ step: 'gone', server: id });
    };
  }

  /** The outcome of a call that the connection handles; false if the caller stopped waiting. */
  result({ serving }: Caller, { callId, result = null, error }: OperationParams<'RESULT'>): boolean {
    if (!serving?.settle(callId)) return false;
    if (error === undefined) this.#publish({ step: 'answered', callId, outcome: { result } });
    else this.#fail(callId, new RelayError('ToolFailed', error));
    return true;
  }

  progress({ serving }: Caller, { callId, ...progress }: OperationParams<'PROGRESS'>): void {
    if (serving?.isOpen(callId))
      this.#publish({ step: 'progress', callId, progress: progress as CallProgress });
  }

  /** News from a caller's daemon: the daemon with the connection acts on it. */
  heard(news: CallNews, isOwn: boolean): void {
    if (news.step === 'cancelled') this.#serving.get(news.server)?.cancel(news.callId, news.reason);
    if (news.step !== 'asked') return;
    const { server, call, origin } = news;
    if (!server.startsWith(this.#prefix)) return;
    // A client local to another daemon may be on another machine.
    const here = isOwn ? origin : { ...origin, local: false, owner: false };
    const serving = this.#serving.get(server);
    const refusal = serving ? serving.take(call, here) : notReached({ name: call.server });
    if (refusal) this.#fail(call.callId, refusal);
  }

  #fail(callId: string, error: RelayError): void {
    this.#publish({ step: 'answered', callId, outcome: { error: error.toPayload() } });
  }

  #publish(call: CallNews): void {
    this.#parts.bus.publish({ kind: 'call', call });
  }
}

const calleeGone = (name: string): RelayError =>
  new RelayError('CalleeGone', `${name} disconnected before it answered the call.`);
