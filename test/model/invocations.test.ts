import { setImmediate as nextTurn } from 'node:timers/promises';
import { type InvocationStatus, isRelayError } from '@agent-relay/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Workspace } from '../../packages/relay/src/core/ports/store/workspaces.ts';
import { openCore, type Participant, type TestCore } from '../kit/core.ts';

/** What may happen to a few invocations while their owner and the daemon crash. */
type Step =
  /** The next step comes after so many turns of the event loop; without a number, when it is begun. */
  | { kind: 'invoke'; id: number; turns: number | undefined }
  | { kind: 'complete' | 'fail'; id: number }
  | { kind: 'owner crashes' | 'caller crashes' | 'daemon crashes' };

// Fewer than are kept of ended ones.
const ids = fc.nat(3);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('invoke' as const),
        id: ids,
        turns: fc.option(fc.nat(20), { nil: undefined }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('complete' as const, 'fail' as const), id: ids }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('owner crashes' as const) }) },
    fc.record({ kind: fc.constantFrom('caller crashes' as const, 'daemon crashes' as const) }),
  ),
  { minLength: 5, maxLength: 20 },
);

/** What is known of an invocation id from outside. */
interface Facts {
  /** The daemon has answered that it is begun, so it is stored. */
  isBegun: boolean;
  /** The daemon crashed after it was asked for. */
  sawCrash: boolean;
  answered?: InvocationStatus;
}

/** The agents and the daemon as they are, and what must be true of each invocation. */
class World {
  readonly #core: TestCore;
  #workspace: Workspace;
  #caller: Participant;
  /** All that were, the present one last. */
  readonly #owners: Participant[];
  readonly #known = new Map<string, Facts>();
  /** Requests that were not waited for. */
  #pending: Array<Promise<void>> = [];

  private constructor(core: TestCore, workspace: Workspace, caller: Participant, owner: Participant) {
    this.#core = core;
    this.#workspace = workspace;
    this.#caller = caller;
    this.#owners = [owner];
  }

  static async open(core: TestCore): Promise<World> {
    const workspace = await core.newWorkspace();
    const [caller, owner] = [await core.join(workspace, 'Caller'), await core.join(workspace, 'Worker')];
    const world = new World(core, workspace, caller, owner);
    await world.#register();
    return world;
  }

  get #owner(): Participant {
    return this.#owners.at(-1) as Participant;
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'invoke') await this.#invoke(`inv-${step.id}`, step.turns);
    else if (step.kind === 'complete' || step.kind === 'fail') await this.#answer(step);
    else if (step.kind === 'owner crashes') await this.#ownerCrashes();
    else if (step.kind === 'caller crashes') await this.#callerCrashes();
    else await this.#daemonCrashes();
  }

  async check(): Promise<void> {
    await Promise.all(this.#pending);
    this.#pending = [];
    await Promise.all(
      [...this.#known].map(async ([id, facts]) => {
        expect(this.#tellings(id).length, id).toBeLessThanOrEqual(1);
        const status = expect.poll(() => this.#statusOf(id), { interval: 5 });
        await status.toBeOneOf(this.#possible(id, facts));
      }),
    );
  }

  /** Nothing stays open that nobody performs. */
  #possible(id: string, { isBegun, sawCrash, answered }: Facts): Array<InvocationStatus | 'nothing'> {
    const [performer] = this.#tellings(id);
    if (answered) return [answered];
    if (performer) return [performer === this.#owner ? 'invoked' : 'unknown'];
    return ['failed', ...(sawCrash ? ['unknown' as const] : []), ...(isBegun ? [] : ['nothing' as const])];
  }

  /** Those whom it was handed to. */
  #tellings(id: string): Participant[] {
    return this.#owners.flatMap((owner) =>
      owner.calls.filter(({ invocationId }) => invocationId === id).map(() => owner),
    );
  }

  async #statusOf(invocationId: string): Promise<InvocationStatus | 'nothing'> {
    try {
      return (await this.#caller.request('INVOCATION', { invocationId })).invocation.status;
    } catch (error) {
      if (isRelayError(error, 'InvocationNotFound')) return 'nothing';
      throw error;
    }
  }

  async #register(): Promise<void> {
    await this.#owner.request('SERVE', {
      tools: [],
      actions: [{ name: 'act', description: 'Acts', inputSchema: {} }],
    });
  }

  async #invoke(invocationId: string, turns: number | undefined): Promise<void> {
    const facts = this.#known.get(invocationId) ?? { isBegun: false, sawCrash: false };
    this.#known.set(invocationId, facts);
    const request = this.#caller.request('INVOKE', { name: 'act', invocationId }).then(
      () => {
        facts.isBegun = true;
      },
      // Its owner is away just now, or the daemon is.
      () => undefined,
    );
    this.#pending.push(request);
    if (turns === undefined) await request;
    else for (let turn = 0; turn < turns; turn++) await nextTurn();
  }

  async #answer({ kind, id }: Step & { id: number }): Promise<void> {
    const invocationId = `inv-${id}`;
    const call = this.#owner.calls.find((one) => one.invocationId === invocationId);
    const facts = this.#known.get(invocationId);
    if (!call || !facts || facts.answered) return;
    await this.#owner.answer(kind === 'complete' ? { result: 1 } : { error: 'No.' }, call.callId);
    facts.answered = kind === 'complete' ? 'completed' : 'failed';
    await this.check();
  }

  async #ownerCrashes(): Promise<void> {
    this.#owner.disconnect();
    this.#owners.push(await this.#core.join(this.#workspace, 'Worker', { token: this.#owner.token }));
    await this.#register();
  }

  async #callerCrashes(): Promise<void> {
    this.#caller.disconnect();
    this.#caller = await this.#core.join(this.#workspace, 'Caller', { token: this.#caller.token });
  }

  async #daemonCrashes(): Promise<void> {
    await this.#core.restart();
    for (const facts of this.#known.values()) facts.sawCrash = true;
    const found = this.#core.relay.workspaces.list().find(({ id }) => id === this.#workspace.id);
    if (!found) throw new Error('The workspace is gone.');
    this.#workspace = found;
    this.#caller = await this.#core.join(found, 'Caller', { token: this.#caller.token });
    this.#owners.push(await this.#core.join(found, 'Worker', { token: this.#owner.token }));
    await this.#register();
  }
}

describe('invocations, with crashes of any participant', () => {
  it('are performed at most once, and their status is what happened', async () => {
    await using core = await openCore();
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const world = await World.open(core);
        for (const step of taken) await world.take(step);
        await world.check();
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
