import { type CallEnd, type Message, type OperationParams, RelayError } from '@agent-relay/protocol';
import type { Agents } from '../directory/agents.ts';
import type { Presence } from '../directory/presence.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { Caller } from '../operations/caller.ts';
import type { Bus, CallNews, CallOutcome } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { relayItself, requireIdentity } from '../principal.ts';
import { checkArguments, flawOfResult } from './checks.ts';
import {
  type CallOrder,
  type CallWaiter,
  callerOf,
  depthOf,
  type OpenCall,
  originOf,
  servedCall,
  titleOf,
} from './open-call.ts';
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

/** The calls that are made from this daemon. */
export class Calls {
  readonly #parts: Parts;
  readonly #open = new Map<string, OpenCall>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts a call; its result follows the answer. A call refused here reaches nobody. */
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
    checkArguments(target, params.arguments);
    const id = this.#parts.newId('call');
    const callId = params.callId ?? id;
    const order: CallOrder = {
      id,
      principal: connection.principal,
      caller: callerOf(connection),
      target,
      args: params.arguments,
      timeoutMs: params.timeoutMs,
      depth: depthOf(connection, params.parent),
    };
    const call = this.open(order, {
      progress: (progress) => {
        if (ongoing.hasRoom) ongoing.send('PROGRESS', { id: requestId, ...progress });
      },
      finish: (result) =>
        ongoing.finishWith('RESULT', { id: requestId, kind: 'mcp_tool_result', callId, result }),
      fail: (error) => ongoing.fail(error),
    });
    const ongoing = connection.begin(requestId);
    ongoing.onEnd = () => this.cancel(call);
    if (!ongoing.hasEnded) this.run(call);
    return { callId };
  }

  /** Counts a call, whose time begins now. Throws if its caller has as many as it may. */
  open(order: CallOrder, waiter: CallWaiter): OpenCall {
    const { clock, quotas } = this.#parts;
    const uncount = quotas.calling(order.principal);
    const stopTimer = clock.after(order.timeoutMs, () => this.#timedOut(call));
    const call: OpenCall = {
      ...order,
      waiter,
      close: () => {
        stopTimer();
        uncount();
        this.#open.delete(call.id);
      },
      stop: () => undefined,
    };
    this.#open.set(call.id, call);
    return call;
  }

  /** Has the call made; its waiter is told how that goes. */
  run(call: OpenCall): void {
    this.#follow(call, needsConsent(call) ? this.#askPerson(call) : this.#make(call));
  }

  /** Nobody waits any more, and the waiter is not told. */
  cancel(call: OpenCall): void {
    this.#abandon(call, 'cancelled');
  }

  /** Passes the call to its target. */
  #make(call: OpenCall): Promise<void> | undefined {
    const { target, args, principal } = call;
    if (target.kind === 'backend') return this.#callBackend(call, target);
    if (target.kind === 'announced') {
      const content = toolQuestion(target.tool.definition.name, args);
      const question = { principal, to: target.callee, content };
      return this.#ask(call, question, (message) => this.#settle(call, { result: resultInWords(message) }));
    }
    const server = target.serverId;
    call.stop = (reason) => this.#publish({ step: 'cancelled', server, callId: call.id, reason });
    this.#publish({ step: 'asked', server, call: servedCall(call, target), origin: originOf(call) });
    return undefined;
  }

  async #callBackend(call: OpenCall, { server, tool }: Extract<Target, { kind: 'backend' }>): Promise<void> {
    const ended = new AbortController();
    call.stop = () => ended.abort();
    const { signal } = ended;
    const { backends } = this.#parts.targets;
    this.#settle(call, { result: await backends.call(server, tool, call.args, { signal }) });
  }

  async #askPerson(call: OpenCall): Promise<void> {
    const { agents, presence } = this.#parts;
    const { workspace } = call.principal;
    const person = personInCharge(agents, presence, workspace);
    call.waitsFor = person.name;
    const principal = relayItself(workspace, await agents.system(workspace));
    const content = consentQuestion(call.caller.name, titleOf(call.target), call.args);
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
      timeoutMs: call.timeoutMs,
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

  /** Errors after the answer are sent like a result. */
  #follow(call: OpenCall, work: Promise<void> | undefined): void {
    work?.catch((error) => {
      if (!(error instanceof RelayError)) this.#parts.onError(error);
      this.#settle(call, { error: error instanceof RelayError ? error : new RelayError('Internal') });
    });
  }

  #timedOut(call: OpenCall): void {
    const { timeoutMs } = call;
    this.#abandon(call, 'timeout');
    const title = titleOf(call.target);
    call.waiter.fail(
      call.waitsFor === undefined
        ? new RelayError('Timeout', `${title} did not finish within ${timeoutMs} ms.`, {
            next: 'The tool may have run. Check that before you call it again, or set a longer timeout.',
            retryable: false,
          })
        : denied(`${call.waitsFor} did not decide within ${timeoutMs} ms whether to allow ${title}.`),
    );
  }

  /** The caller no longer waits. */
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
      call.waiter.fail(error);
      return;
    }
    if ('result' in outcome) call.waiter.finish(outcome.result);
  }

  /** News of a callee's daemon. */
  heard(news: CallNews): void {
    const call = news.step === 'asked' ? undefined : this.#open.get(news.callId);
    if (!call) return;
    if (news.step === 'answered') this.#settle(call, fromNews(call, news.outcome));
    else if (news.step === 'progress') call.waiter.progress(news.progress);
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
