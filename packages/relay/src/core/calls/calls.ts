import {
  type CallProgress,
  type ConsentOutcome,
  nameKey,
  type OperationParams,
  RelayError,
} from '@agent-relay/protocol';
import type { Presence } from '../directory/presence.ts';
import type { Workspaces } from '../directory/workspaces.ts';
import type { Quotas } from '../governance/quotas.ts';
import type { SendRates } from '../governance/send-rates.ts';
import type { Caller } from '../operations/caller.ts';
import type { Bus, CallNews, CallOutcome } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Agent } from '../ports/store/agents.ts';
import type { AuditRecord, AuditStore } from '../ports/store/audit.ts';
import { requireIdentity } from '../principal.ts';
import { type Consents, needsConsent } from './asking/consents.ts';
import type { Questions } from './asking/questions.ts';
import { isYes, resultInWords, toolQuestion } from './asking/words.ts';
import { checkArguments, flawOfResult } from './checks.ts';
import {
  type CallOrder,
  type CallWaiter,
  callerOf,
  type OpenCall,
  originOf,
  type QuestionEnd,
  servedCall,
  titleOf,
} from './open-call.ts';
import { OpenCalls } from './open-calls.ts';
import { type CallTargets, notReached, type Target } from './targets.ts';

type Params = OperationParams<'CALL'>;

interface Parts {
  store: AuditStore;
  bus: Bus;
  clock: Clock;
  newId: (word: string) => string;
  presence: Presence;
  workspaces: Workspaces;
  quotas: Quotas;
  rates: SendRates;
  targets: CallTargets;
  questions: Questions;
  consents: Consents;
  /** Called with internal errors. */
  onError: (error: unknown) => void;
}

export const USUAL_TIME_MS = 30_000;
/** A person has to see the question first. */
const TIME_WITH_CONSENT_MS = 300_000;

/** The default time of a call, and of waiting for one. */
export const usualTimeMs = (order: Pick<CallOrder, 'target' | 'principal'>): number =>
  needsConsent(order) ? TIME_WITH_CONSENT_MS : USUAL_TIME_MS;

/**
 * The calls that are made from this daemon. Each ends with its answer, its timeout, or when nobody is left to answer it.
 * What holds for every call, whatever asks for it, stands in `open` and `run`: its limits, and its record in the audit log.
 */
export class Calls {
  readonly #parts: Parts;
  readonly #open = new OpenCalls();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts a call; its result follows the answer. A call refused here is not passed on. */
  async start(connection: Caller, params: Params, requestId: string): Promise<Started> {
    const { quotas, targets } = this.#parts;
    const { principal } = connection;
    requireIdentity(principal);
    quotas.checkCallBytes(params.arguments, 'The arguments');
    const depth = this.checkedDepth(connection, params.parent);
    return await this.#begin(connection, params, requestId, await targets.find(principal, params), depth);
  }

  /** The depth of a call that a connection makes. Throws if that is too deep. */
  checkedDepth(connection: Caller, parent: string | undefined): number {
    const depth = this.#open.depthFor(connection, parent);
    this.#parts.quotas.checkCallDepth(depth);
    return depth;
  }

  async #begin(
    connection: Caller,
    params: Params,
    requestId: string,
    target: Target,
    depth: number,
  ): Promise<Started> {
    checkArguments(target, params.arguments);
    const { principal } = connection;
    const id = this.#parts.newId('call');
    const callId = params.callId ?? id;
    const timeoutMs = params.timeoutMs ?? usualTimeMs({ target, principal });
    const order: CallOrder = {
      id,
      principal,
      caller: callerOf(connection),
      target,
      args: params.arguments,
      timeoutMs,
      depth,
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
    try {
      await this.run(call, (record) => this.#parts.store.appendAudit(record));
    } catch (error) {
      connection.end(requestId);
      throw error;
    }
    return { callId, timeoutMs };
  }

  /** Counts a call, whose time starts now. Throws if its caller is at a limit. */
  open(order: CallOrder, waiter: CallWaiter): OpenCall {
    const { clock, quotas, rates } = this.#parts;
    rates.countAudited(order.principal);
    const uncount = quotas.calling(order.principal, order.args);
    const stopTimer = clock.after(order.timeoutMs, () => this.#timedOut(call));
    const call: OpenCall = {
      ...order,
      waiter,
      close: () => {
        stopTimer();
        uncount();
        this.#open.delete(call);
      },
      stop: () => undefined,
    };
    this.#open.add(call);
    return call;
  }

  /**
   * Makes the call and reports its progress to its waiter, after `keep` has put its record into the audit log. If that
   * fails, or the call ends meanwhile, it is not made.
   */
  async run(call: OpenCall, keep: (record: AuditRecord) => Promise<void>): Promise<void> {
    try {
      await keep(this.#recordOf(call));
    } catch (error) {
      this.cancel(call);
      throw error;
    }
    if (this.#open.has(call))
      this.#follow(call, needsConsent(call) ? this.#askPerson(call) : this.#make(call));
  }

  #recordOf({ id, principal, caller, target, invocationId }: OpenCall): AuditRecord {
    const [action, detail] =
      invocationId === undefined
        ? (['tool.called', { callId: id, caller }] as const)
        : (['action.invoked', { invocationId, caller }] as const);
    return this.#parts.workspaces.record(principal, principal.workspace, action, titleOf(target), detail);
  }

  /** Ends the call without notifying the waiter. */
  cancel(call: OpenCall): void {
    this.#abandon(call, 'cancelled');
  }

  /** Passes the call to its target. */
  #make(call: OpenCall): Promise<void> | undefined {
    const { target } = call;
    if (target.kind === 'backend') return this.#callBackend(call, target);
    if (target.kind === 'announced') return this.#askAgent(call, target);
    const server = target.serverId;
    call.stop = (reason) => {
      if (reason !== 'callee_gone') this.#publish({ step: 'cancelled', server, callId: call.id, reason });
    };
    this.#publish({ step: 'asked', server, call: servedCall(call, target), origin: originOf(call) });
    return undefined;
  }

  async #callBackend(call: OpenCall, { server, tool }: Extract<Target, { kind: 'backend' }>): Promise<void> {
    const ended = new AbortController();
    call.stop = () => ended.abort();
    const { signal } = ended;
    const { backends } = this.#parts.targets;
    const onProgress = (progress: CallProgress) => {
      if (this.#open.has(call)) call.waiter.progress(progress);
    };
    this.#settle(call, { result: await backends.call(server, tool, call.args, { signal, onProgress }) });
  }

  async #askPerson(call: OpenCall): Promise<void> {
    const { quotas, consents } = this.#parts;
    quotas.checkConsents(this.#open.countWaiting(call));
    await consents.ask(
      call,
      (retract) => this.#asked(call, retract),
      (outcome, person) => {
        if (!this.#open.has(call)) return;
        if ('error' in outcome) {
          this.#unanswered(call, outcome.error);
          return;
        }
        delete call.waitsFor;
        call.stop = () => undefined;
        const { content } = outcome.reply;
        if (isYes(outcome.reply) && !outcome.reply.unverified) {
          this.#decided(call, { call: 'running' });
          call.isAllowed = true;
          this.#follow(call, this.#make(call));
          return;
        }
        this.#decided(call, { call: 'denied' });
        this.#settle(call, { error: denied(`${person.name} denied the call: ${content}`) });
      },
    );
  }

  /** Tells the person who decided what became of it. */
  #decided({ question }: OpenCall, outcome: ConsentOutcome): void {
    if (question !== undefined) this.#publish({ step: 'decided', question, outcome });
  }

  #ended(call: OpenCall, error: RelayError | undefined): void {
    if (!call.isAllowed) return;
    this.#decided(call, error ? { call: 'failed', error: error.toPayload() } : { call: 'finished' });
  }

  async #askAgent(call: OpenCall, { callee, tool }: Extract<Target, { kind: 'announced' }>): Promise<void> {
    const { presence, questions } = this.#parts;
    if (!presence.isOnline(callee.id)) throw notReached(callee);
    await questions.ask({
      principal: call.principal,
      id: `${call.id}-${callee.id}`,
      to: callee,
      content: toolQuestion(tool.definition.name, call.args),
      timeoutMs: call.timeoutMs,
      stored: (stop) => this.#asked(call, stop),
      settle: (outcome) => {
        if (!this.#open.has(call)) return;
        if ('error' in outcome) this.#unanswered(call, outcome.error);
        else this.#settle(call, { result: resultInWords(outcome.reply) });
      },
    });
  }

  /** The question of a call is stored. The call may have ended meanwhile. */
  #asked(call: OpenCall, stop: (reason: QuestionEnd) => void): void {
    if (this.#open.has(call)) call.stop = stop;
    else stop('cancelled');
  }

  #unanswered(call: OpenCall, error: RelayError): void {
    if (error.code === 'Timeout') this.#timedOut(call);
    else this.#settle(call, { error });
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
        : denied(`${call.waitsFor.name} did not decide within ${timeoutMs} ms whether to allow ${title}.`),
    );
  }

  /** The caller no longer waits. */
  #abandon(call: OpenCall, reason: QuestionEnd): void {
    if (!this.#open.has(call)) return;
    call.close();
    call.stop(reason);
    this.#ended(call, new RelayError(reason === 'timeout' ? 'Timeout' : 'Cancelled'));
  }

  #settle(call: OpenCall, outcome: { result: unknown } | { error: RelayError }): void {
    if (!this.#open.has(call)) return;
    call.close();
    const error =
      'error' in outcome ? outcome.error : flawOfResult(call.target, outcome.result, this.#parts.quotas);
    this.#ended(call, error);
    if (error) {
      call.waiter.fail(error);
      return;
    }
    if ('result' in outcome) call.waiter.finish(outcome.result);
  }

  /** News of a callee's daemon. */
  heard(news: CallNews): void {
    if (news.step === 'gone') this.#serverGone(news.server);
    const call = 'callId' in news ? this.#open.get(news.callId) : undefined;
    if (!call) return;
    if (news.step === 'answered') this.#settle(call, fromNews(call, news.outcome));
    else if (news.step === 'progress') call.waiter.progress(news.progress);
  }

  /** A connection stopped serving. Its daemon ends the calls it got; this one ends those that still wait for consent. */
  #serverGone(server: string): void {
    for (const call of this.#open)
      if (call.waitsFor && call.target.kind === 'served' && call.target.serverId === server)
        this.#lose(call, notReached(call.target.callee));
  }

  /** An agent went offline or was removed: it answers no questions. */
  left(workspaceId: number, name: string, isRemoved: boolean): void {
    const isMeant = (agent: Agent) =>
      agent.workspaceId === workspaceId && nameKey(agent.name) === nameKey(name);
    for (const call of this.#open) {
      const { target, waitsFor } = call;
      if (target.kind === 'announced' && isMeant(target.callee))
        this.#lose(call, waitsFor ? notReached(target.callee) : wentOffline(target.callee));
      else if (isRemoved && waitsFor && isMeant(waitsFor))
        this.#lose(call, denied(`${waitsFor.name}, who was asked to allow the call, was removed.`));
    }
  }

  #lose(call: OpenCall, error: RelayError): void {
    call.stop('callee_gone');
    this.#settle(call, { error });
  }

  #publish(call: CallNews): void {
    this.#parts.bus.publish({ kind: 'call', call });
  }
}

interface Started {
  callId: string;
  /** How long it may take. */
  timeoutMs: number;
}

function fromNews({ target }: OpenCall, outcome: CallOutcome): { result: unknown } | { error: RelayError } {
  if ('result' in outcome) return outcome;
  const error = RelayError.fromPayload(outcome.error);
  if (error.code !== 'ToolFailed') return { error };
  return { error: new RelayError('ToolFailed', `${titleOf(target)} failed: ${error.message}`) };
}

const denied = (message: string): RelayError => new RelayError('Denied', message);

const wentOffline = ({ name }: Agent): RelayError =>
  new RelayError('CalleeGone', `${name} went offline before it answered.`, {
    next: 'The tool may have run, or may still run: the question is in the inbox of the agent.',
  });
