import type { InvocationStatus } from '@agent-relay/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Workspace } from '../../packages/relay/src/core/ports/store/workspaces.ts';
import { openCore, type Participant, type TestCore } from '../kit/core.ts';

/** What may happen to a few invocations while their owner and the daemon crash. */
type Step =
  | { kind: 'invoke' | 'complete' | 'fail'; id: number }
  | { kind: 'owner crashes' | 'caller crashes' | 'daemon crashes' };

const ids = fc.nat(3);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('invoke' as const), id: ids }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom('complete' as const, 'fail' as const), id: ids }),
    },
    fc.record({
      kind: fc.constantFrom('owner crashes' as const, 'caller crashes' as const, 'daemon crashes' as const),
    }),
  ),
  { minLength: 5, maxLength: 20 },
);

/** The agents and the daemon as they are, and what must be true of each invocation. */
class World {
  readonly #core: TestCore;
  #workspace: Workspace;
  #caller: Participant;
  #owner: Participant;
  readonly expected = new Map<string, InvocationStatus>();
  /** How often each was handed to its owner. */
  readonly performed = new Map<string, number>();

  private constructor(core: TestCore, workspace: Workspace, caller: Participant, owner: Participant) {
    this.#core = core;
    this.#workspace = workspace;
    this.#caller = caller;
    this.#owner = owner;
  }

  static async open(core: TestCore): Promise<World> {
    const workspace = await core.newWorkspace();
    const [caller, owner] = [await core.join(workspace, 'Caller'), await core.join(workspace, 'Worker')];
    const world = new World(core, workspace, caller, owner);
    await world.#register();
    return world;
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'invoke') await this.#invoke(`inv-${step.id}`);
    else if (step.kind === 'complete' || step.kind === 'fail') await this.#answer(step);
    else if (step.kind === 'owner crashes') await this.#ownerCrashes();
    else if (step.kind === 'caller crashes') await this.#callerCrashes();
    else await this.#daemonCrashes();
  }

  async check(): Promise<void> {
    for (const [invocationId, status] of this.expected)
      await expect
        .poll(async () => (await this.#caller.request('INVOCATION', { invocationId })).invocation.status)
        .toBe(status);
    for (const [id, times] of this.performed) expect([id, times]).toEqual([id, 1]);
  }

  async #register(): Promise<void> {
    await this.#owner.request('SERVE', {
      tools: [],
      actions: [{ name: 'act', description: 'Acts', inputSchema: {} }],
    });
  }

  async #invoke(invocationId: string): Promise<void> {
    const before = this.#owner.calls.length;
    await this.#caller.request('INVOKE', { name: 'act', invocationId });
    for (const { invocationId: id = '' } of this.#owner.calls.slice(before))
      this.performed.set(id, (this.performed.get(id) ?? 0) + 1);
    if (!this.expected.has(invocationId)) this.expected.set(invocationId, 'invoked');
  }

  async #answer({ kind, id }: Step & { id: number }): Promise<void> {
    const invocationId = `inv-${id}`;
    const call = this.#owner.calls.find((one) => one.invocationId === invocationId);
    if (!call || this.expected.get(invocationId) !== 'invoked') return;
    await this.#owner.answer(kind === 'complete' ? { result: 1 } : { error: 'No.' }, call.callId);
    this.expected.set(invocationId, kind === 'complete' ? 'completed' : 'failed');
    await this.check();
  }

  async #ownerCrashes(): Promise<void> {
    this.#owner.disconnect();
    this.#loseOpen();
    this.#owner = await this.#core.join(this.#workspace, 'Worker', { token: this.#owner.token });
    await this.#register();
  }

  async #callerCrashes(): Promise<void> {
    this.#caller.disconnect();
    this.#caller = await this.#core.join(this.#workspace, 'Caller', { token: this.#caller.token });
  }

  async #daemonCrashes(): Promise<void> {
    await this.#core.restart();
    this.#loseOpen();
    const found = this.#core.relay.workspaces.list().find(({ id }) => id === this.#workspace.id);
    if (!found) throw new Error('The workspace is gone.');
    this.#workspace = found;
    this.#caller = await this.#core.join(found, 'Caller', { token: this.#caller.token });
    this.#owner = await this.#core.join(found, 'Worker', { token: this.#owner.token });
    await this.#register();
  }

  #loseOpen(): void {
    for (const [id, status] of this.expected) if (status === 'invoked') this.expected.set(id, 'unknown');
  }
}

describe('invocations, whoever crashes', () => {
  it('are performed at most once, and their status is what happened', async () => {
    await using core = await openCore();
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const world = await World.open(core);
        for (const step of taken) await world.take(step);
        await world.check();
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });
});
