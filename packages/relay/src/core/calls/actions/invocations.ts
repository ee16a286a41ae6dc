import { type InvocationInfo, MAX_TIMEOUT_MS, type OperationParams, RelayError } from '@agent-relay/protocol';
import type { Presence } from '../../directory/presence.ts';
import type { Workspaces } from '../../directory/workspaces.ts';
import { callerAccount } from '../../governance/accounts.ts';
import type { Quotas } from '../../governance/quotas.ts';
import type { Caller, Ongoing } from '../../operations/caller.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Invocation, InvocationEnd, InvocationStore } from '../../ports/store/invocations.ts';
import { type Principal, requireAgentOrOwner, seesWholeWorkspace } from '../../principal.ts';
import { type Calls, USUAL_TIME_MS, usualTimeMs } from '../calls.ts';
import { checkArguments } from '../checks.ts';
import { type CallWaiter, callerOf, titleOf } from '../open-call.ts';
import type { CallTargets, Target } from '../targets.ts';

interface Parts {
  store: InvocationStore;
  clock: Clock;
  bus: Bus;
  newId: (word: string) => string;
  presence: Presence;
  workspaces: Workspaces;
  quotas: Quotas;
  targets: CallTargets;
  calls: Calls;
  /** Identifies this daemon, also after a restart. */
  node: string;
  onError: (error: unknown) => void;
}

/** Errors after which it is unknown whether the action was performed. */
const UNCERTAIN: ReadonlySet<string> = new Set(['CalleeGone', 'Timeout', 'Internal']);

/**
 * Invoked actions. Each is on disk before it is performed, so that it is performed at most once and its outcome can be read
 * later. It continues if its caller disconnects.
 */
export class Invocations {
  readonly #parts: Parts;
  /** Those who wait for the end of an invocation, by workspace and id. */
  readonly #waiters = new Map<string, Set<Waiting>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Invocations left open by an earlier run of this daemon; their outcome is unknown. */
  async loseOpen(): Promise<void> {
    const { store, clock, node } = this.#parts;
    const error = new RelayError('CalleeGone', 'The daemon stopped before the action ended.');
    await store.loseInvocations(node, clock.now(), error.toPayload());
  }

  async invoke(connection: Caller, params: OperationParams<'INVOKE'>, requestId: string): Promise<Invoked> {
    const { quotas, targets, calls } = this.#parts;
    const { principal } = connection;
    requireAgentOrOwner(principal);
    const known = params.invocationId && (await this.#find(principal, params.invocationId));
    if (known) return this.#again(connection, known, params, requestId);
    quotas.checkCallBytes(params.input, 'The input');
    const depth = calls.checkedDepth(connection, params.parent);
    const target = await targets.findInvocable(principal, params.name);
    checkArguments(target, params.input);
    return await this.#begin(connection, params, requestId, target, depth);
  }

  async #begin(
    connection: Caller,
    params: OperationParams<'INVOKE'>,
    requestId: string,
    target: Target,
    depth: number,
  ): Promise<Invoked> {
    const { store, clock, newId, calls, node } = this.#parts;
    const { principal } = connection;
    const { workspace, agent } = principal;
    const invocation: Invocation = {
      workspaceId: workspace.id,
      id: params.invocationId ?? newId('inv'),
      action: titleOf(target),
      owner: target.kind === 'backend' ? target.server : target.callee.name,
      ownerId: target.kind === 'backend' ? undefined : target.callee.id,
      caller: callerOf(connection),
      callerId: agent?.id,
      account: callerAccount(principal),
      input: params.input,
      node,
      status: 'invoked',
      invokedAt: clock.now(),
      endedAt: undefined,
      result: undefined,
      error: undefined,
    };
    const { id, caller } = invocation;
    const order = { principal, caller, target, args: params.input, timeoutMs: MAX_TIMEOUT_MS, depth };
    const call = calls.open(
      { ...order, id: newId('call'), invocationId: id },
      this.#waiterOf(principal, invocation),
    );
    const timeoutMs = params.timeoutMs ?? usualTimeMs({ target, principal });
    let known: Invocation | undefined;
    await calls.run(call, async (record) => {
      known = await store.beginInvocation(invocation, record);
      if (known) {
        calls.cancel(call);
        return;
      }
      this.#tell(invocation, 'invoked');
      if (params.wait) this.#wait(connection, invocation, timeoutMs, requestId);
    });
    if (known) return await this.#again(connection, known, params, requestId);
    return { invocation: infoOf(invocation), timeoutMs };
  }

  /** The same invocation again: it is not performed again, but may be waited for. */
  async #again(
    connection: Caller,
    known: Invocation,
    params: OperationParams<'INVOKE'>,
    requestId: string,
  ): Promise<Invoked> {
    const { principal } = connection;
    const isSame =
      known.callerId === principal.agent?.id &&
      this.#parts.targets.isTitle(principal, params.name, known.action) &&
      JSON.stringify(known.input) === JSON.stringify(params.input);
    if (!isSame)
      throw new RelayError('IdConflict', `The id ${known.id} was already used for a different invocation.`);
    if (known.status !== 'invoked' || !params.wait) return { invocation: infoOf(known) };
    const { timeoutMs = USUAL_TIME_MS } = params;
    // The call itself counts once, however many wait for it.
    const uncount = this.#parts.quotas.calling(principal);
    this.#wait(connection, known, timeoutMs, requestId, uncount);
    // It may have ended just before.
    const now = await this.#find(principal, known.id);
    if (now && now.status !== 'invoked') this.ended(now);
    return { invocation: infoOf(known), timeoutMs };
  }

  async get(principal: Principal, id: string): Promise<InvocationInfo> {
    const found = await this.#find(principal, id);
    const { agent } = principal;
    const isTheirs = agent && (found?.callerId === agent.id || found?.ownerId === agent.id);
    if (found && (isTheirs || seesWholeWorkspace(principal))) return infoOf(found);
    throw new RelayError('InvocationNotFound', `There is no invocation ${id}, or it is not yours.`);
  }

  async list(principal: Principal, limit: number): Promise<InvocationInfo[]> {
    requireAgentOrOwner(principal);
    const { agent, workspace } = principal;
    const of = seesWholeWorkspace(principal) ? undefined : agent?.id;
    return (await this.#parts.store.listInvocations(workspace.id, of, limit)).map(infoOf);
  }

  /** An invocation ended, at this daemon or another. */
  ended(invocation: Invocation): void {
    const key = keyOf(invocation);
    for (const waiting of this.#waiters.get(key) ?? []) {
      waiting.stop();
      finish(waiting, invocation);
    }
    this.#waiters.delete(key);
  }

  #find({ workspace }: Principal, id: string): Promise<Invocation | undefined> {
    return this.#parts.store.findInvocation(workspace.id, id);
  }

  /** The connection gets the end, if it comes in time. */
  #wait(
    connection: Caller,
    invocation: Invocation,
    timeoutMs: number,
    requestId: string,
    uncount: () => void = () => undefined,
  ): void {
    const key = keyOf(invocation);
    const ongoing = connection.begin(requestId);
    const stopTimer = this.#parts.clock.after(timeoutMs, () => {
      leave();
      ongoing.fail(stillRunning(invocation, timeoutMs));
    });
    const stop = () => {
      stopTimer();
      uncount();
    };
    const waiting: Waiting = { ongoing, requestId, stop };
    const waiters = this.#waiters.get(key) ?? new Set();
    this.#waiters.set(key, waiters.add(waiting));
    const leave = () => {
      stop();
      waiters.delete(waiting);
      if (waiters.size === 0) this.#waiters.delete(key);
    };
    ongoing.onEnd = leave;
  }

  /** Stores how the call of an invocation ended, then reports it. */
  #waiterOf(principal: Principal, invocation: Invocation): CallWaiter {
    const { clock } = this.#parts;
    return {
      progress: (progress) => {
        for (const { ongoing, requestId } of this.#waiters.get(keyOf(invocation)) ?? [])
          if (ongoing.hasRoom) ongoing.send('PROGRESS', { id: requestId, ...progress });
      },
      finish: (result) =>
        this.#end(principal, invocation, {
          status: 'completed',
          endedAt: clock.now(),
          result,
          error: undefined,
        }),
      fail: (error) => {
        const status = UNCERTAIN.has(error.code) ? 'unknown' : 'failed';
        const payload = error.toPayload();
        this.#end(principal, invocation, { status, endedAt: clock.now(), result: undefined, error: payload });
      },
    };
  }

  #end(principal: Principal, invocation: Invocation, end: InvocationEnd): void {
    const { store, workspaces, quotas, bus, onError } = this.#parts;
    const { id, action } = invocation;
    const ended = { ...invocation, ...end };
    const what = end.status === 'completed' ? 'completed' : 'failed';
    const detail = { invocationId: id, caller: invocation.caller, status: end.status };
    const record = workspaces.record(principal, principal.workspace, `action.${what}`, action, detail);
    // Waiters get the result in any case, even if the disk is full.
    const tell = () => {
      bus.publish({ kind: 'invocation', invocation: ended });
      this.#tell(ended, what);
    };
    store.endInvocation(ended, record, quotas.limits).then(tell, (error) => {
      onError(error);
      tell();
    });
  }

  /** For its caller, its performer and the owner. */
  #tell(invocation: Invocation, what: 'invoked' | 'completed' | 'failed'): void {
    const { presence } = this.#parts;
    const event = { type: `action.${what}`, invocation: infoOf(invocation) } as const;
    const { callerId, ownerId, workspaceId } = invocation;
    for (const agentId of new Set([callerId, ownerId]))
      if (agentId !== undefined) presence.tellAgent(agentId, event);
    presence.tellOwner(workspaceId, event);
  }
}

interface Invoked {
  invocation: InvocationInfo;
  /** How long to wait for the end, if at all. */
  timeoutMs?: number;
}

/** A request that waits for the end of an invocation. */
interface Waiting {
  ongoing: Ongoing;
  requestId: string;
  /** Stops its timer, and no longer counts. */
  stop: () => void;
}

const finish = ({ ongoing, requestId }: Waiting, invocation: Invocation): void =>
  ongoing.finishWith('RESULT', {
    id: requestId,
    kind: 'mcp_tool_result',
    callId: invocation.id,
    result: infoOf(invocation),
  });

const keyOf = ({ workspaceId, id }: Invocation): string => `${workspaceId} ${id}`;

const infoOf = (invocation: Invocation): InvocationInfo => ({
  invocationId: invocation.id,
  actionName: invocation.action,
  status: invocation.status,
  owner: invocation.owner,
  caller: invocation.caller,
  input: invocation.input,
  invokedAt: invocation.invokedAt,
  ...(invocation.endedAt === undefined ? {} : { endedAt: invocation.endedAt }),
  ...(invocation.status === 'completed' ? { result: invocation.result ?? null } : {}),
  ...(invocation.error === undefined ? {} : { error: invocation.error }),
});

const stillRunning = ({ id, action }: Invocation, timeoutMs: number): RelayError =>
  new RelayError('Timeout', `${action} did not end within ${timeoutMs} ms. It is still running.`, {
    next: `Read its result later with: agent-relay actions ${id}`,
    retryable: false,
    details: { invocationId: id },
  });
