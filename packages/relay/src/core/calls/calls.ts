import { type CallEnd, type Message, type OperationParams, RelayError } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Caller } from '../operations/caller.ts';
import type { Bus, CallNews, CallOutcome } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { relayItself, requireIdentity } from '../principal.ts';
import { checkArguments, flawOfResult } from './checks.ts';
import { callerOf, depthOf, type OpenCall, servedCall, titleOf } from './open-call.ts';
import type { Question, Questions } from './questions.ts';
import type { CallTargets, Target } from './targets.ts';
import { consentQuestion, isYes, personInCharge, resultInWords, toolQuestion } from './words.ts';

type Params = OperationParams<'CALL'>;

interface Parts {
  bus: Bus;
  clock: Clock;
  newId: (word: string) => string;
  agents: Agents;
  presence: Presence;
  quotas: Quotas;
  targets: CallTargets;
  questions: Questions;
  /** Called with internal errors. */
  onError: (error: unknown) => void;
}

/** The calls that clients of this daemon wait for. */
export class Calls {
  readonly #parts: Parts;
  readonly #open = new Map<string, OpenCall>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins a call; its result follows the answer. Nobody is told of a call that is refused here. */
  start(
    connection: Caller,
    params: Params,
    requestId: string,
  ): { callId: string } | Promise<{ callId: string }> {
    const { quotas, targets } = this.#parts;
    const { principal } = connection;
    requireIdentity(principal);
    quotas.checkCallBytes(params.arguments, 'The arguments');
    quotas.checkCallDepth(depthOf(connection, params.parent));
    const target = targets.find(principal.workspace, params);
    return target instanceof Promise
      ? target.then((found) => this.#begin(connection, params, requestId, found))
      : this.#begin(connection, params, requestId, target);
  }

  #begin(connection: Caller, params: Params, requestId: string, target: Target): { callId: string } {
    const { clock, newId, quotas } = this.#parts;
    const { principal } = connection;
    checkArguments(target, params);
    const uncount = quotas.calling(principal);
    const id = newId('call');
    const stopTimer = clock.after(params.timeoutMs, () => this.#timedOut(call));
    const call: OpenCall = {
      id,
      requestId,
      principal,
      caller: callerOf(connection),
      params,
      depth: depthOf(connection, params.parent),
      target,
      ongoing: connection.begin(requestId),
      close: () => {
        stopTimer();
        uncount();
        this.#open.delete(id);
      },
      stop: () => undefined,
    };
    this.#open.set(id, call);
    call.ongoing.onEnd = () => this.#abandon(call, 'cancelled');
    if (!call.ongoing.hasEnded)
      this.#follow(call, needsConsent(call) ? this.#askPerson(call) : this.#make(call));
    return { callId: params.callId ?? id };
  }

  /** Has the call made by whoever can. */
  #make(call: OpenCall): Promise<void> | undefined {
    const { target, params } = call;
    if (target.kind === 'backend') return this.#callBackend(call, target);
    if (target.kind === 'announced') {
      const { principal } = call;
      const question = { principal, to: target.callee, content: toolQuestion(params) };
      return this.#ask(call, question, (message) => this.#settle(call, { result: resultInWords(message) }));
    }
    const server = target.serverId;
    call.stop = (reason) => this.#publish({ step: 'cancelled', server, callId: call.id, reason });
    this.#publish({ step: 'asked', server, call: servedCall(call, target.callee.name) });
    return undefined;
  }

  async #callBackend(call: OpenCall, { server, tool }: Extract<Target, { kind: 'backend' }>): Promise<void> {
    const ended = new AbortController();
    call.stop = () => ended.abort();
    const { signal } = ended;
    const { backends } = this.#parts.targets;
    this.#settle(call, { result: await backends.call(server, tool, call.params.arguments, { signal }) });
  }

  async #askPerson(call: OpenCall): Promise<void> {
    const { agents, presence } = this.#parts;
    const { workspace } = call.principal;
    const person = personInCharge(agents, presence, workspace);
    call.waitsFor = person.name;
    const principal = relayItself(workspace, await agents.system(workspace));
    const content = consentQuestion(call.caller.name, titleOf(call.target), call.params);
    await this.#ask(call, { principal, to: person, content }, (message) => {
      delete call.waitsFor;
      call.stop = () => undefined;
      if (isYes(message)) this.#follow(call, this.#make(call));
      else this.#settle(call, { error: denied(`${person.name} denied the call: ${message.content}`) });
    });
  }

  #ask(
    call: OpenCall,
    question: Pick<Question, 'principal' | 'to' | 'content'>,
    answered: (message: Message) => void,
  ): Promise<void> {
    return this.#parts.questions.ask({
      ...question,
      // The agent may be asked after a person was.
      id: `${call.id}-${question.to.id}`,
      timeoutMs: call.params.timeoutMs,
      stored: (stop) => {
        if (this.#open.has(call.id)) call.stop = stop;
        else stop();
      },
      settle: (outcome) => {
        if (!this.#open.has(call.id)) return;
        if ('reply' in outcome) answered(outcome.reply);
        else if (outcome.error.code === 'Timeout') this.#timedOut(call);
        else this.#settle(call, outcome);
      },
    });
  }

  /** What goes wrong with a call that was answered already follows the answer. */
  #follow(call: OpenCall, work: Promise<void> | undefined): void {
    work?.catch((error) => {
      if (!(error instanceof RelayError)) this.#parts.onError(error);
      this.#settle(call, { error: error instanceof RelayError ? error : new RelayError('Internal') });
    });
  }

  #timedOut(call: OpenCall): void {
    const { timeoutMs } = call.params;
    this.#abandon(call, 'timeout');
    const title = titleOf(call.target);
    call.ongoing.fail(
      call.waitsFor === undefined
        ? new RelayError('Timeout', `${title} did not finish within ${timeoutMs} ms.`, {
            next: 'The tool may have run. Check that before you call it again, or allow more time.',
            retryable: false,
          })
        : denied(`${call.waitsFor} did not answer within ${timeoutMs} ms whether ${title} may be called.`),
    );
  }

  /** Nobody waits any more. */
  #abandon(call: OpenCall, reason: CallEnd): void {
    if (!this.#open.has(call.id)) return;
    call.close();
    call.stop(reason);
  }

  #settle(call: OpenCall, outcome: { result: unknown } | { error: RelayError }): void {
    if (!this.#open.has(call.id)) return;
    call.close();
    const error =
      'error' in outcome ? outcome.error : flawOfResult(call.target, outcome.result, this.#parts.quotas);
    if (error) {
      call.ongoing.fail(error);
      return;
    }
    const callId = call.params.callId ?? call.id;
    call.ongoing.finishWith('RESULT', { id: call.requestId, kind: 'mcp_tool_result', callId, ...outcome });
  }

  /** News of a callee's daemon. */
  heard(news: CallNews): void {
    const call = news.step === 'asked' ? undefined : this.#open.get(news.callId);
    if (!call) return;
    if (news.step === 'answered') this.#settle(call, fromNews(call, news.outcome));
    else if (news.step === 'progress' && call.ongoing.hasRoom)
      call.ongoing.send('PROGRESS', { id: call.requestId, ...news.progress });
  }

  #publish(call: CallNews): void {
    this.#parts.bus.publish({ kind: 'call', call });
  }
}

/** A person who calls a tool allows that call. */
const needsConsent = ({ target, principal: { agent } }: OpenCall): boolean =>
  target.kind !== 'backend' &&
  target.tool.definition.consent === true &&
  agent !== undefined &&
  agent.type !== 'human';

function fromNews({ target }: OpenCall, outcome: CallOutcome): { result: unknown } | { error: RelayError } {
  if ('result' in outcome) return outcome;
  const error = RelayError.fromPayload(outcome.error);
  if (error.code !== 'ToolFailed') return { error };
  return { error: new RelayError('ToolFailed', `${titleOf(target)} failed: ${error.message}`) };
}

const denied = (message: string): RelayError => new RelayError('Denied', message);
