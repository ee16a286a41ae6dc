import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let alice: Participant;
let driver: Participant;
beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  alice = await core.join(workspace, 'Alice');
  driver = await core.join(workspace, 'Driver');
  await driver.serve({ name: 'create' });
});

const WISH = { name: 'Worker', cli: 'claude' };

/** What the driver may do in a call with these arguments. */
async function asked(by: Participant, args: Record<string, unknown> = WISH, performer = driver) {
  const { callId } = await by.call(`${performer.name}.create`, args);
  return {
    spawn: (more = {}) => performer.request('SPAWN', { ...WISH, waitMs: 0, ...more, call: callId }),
    release: (agent: string) => performer.request('RELEASE', { agent, call: callId }),
  };
}

const FORBIDDEN = { code: 'Forbidden' };

describe('a worker that is spawned in a call', () => {
  it('works for the caller, and only the caller may have it released', async () => {
    await (await asked(alice)).spawn();
    const [worker] = (await alice.request('WHO', { includeOffline: true })).agents.filter(
      ({ name }) => name === 'Worker',
    );
    expect(worker?.parent).toBe('Alice');
    const eve = await core.join(workspace, 'Eve');
    await expect((await asked(eve, { name: 'Worker' })).release('Worker')).rejects.toMatchObject(FORBIDDEN);
    await expect(driver.request('RELEASE', { agent: 'Worker' })).rejects.toMatchObject(FORBIDDEN);
    await (await asked(alice, { name: 'Worker' })).release('Worker');
  });

  it('needs a caller and a performer who may both spawn', async () => {
    const far = await core.joinFromAfar(workspace, 'Far');
    await expect((await asked(far)).spawn()).rejects.toMatchObject(FORBIDDEN);
    await expect((await asked(alice.declared())).spawn()).rejects.toMatchObject(FORBIDDEN);
    await far.serve({ name: 'create' });
    await expect((await asked(alice, WISH, far)).spawn()).rejects.toMatchObject(FORBIDDEN);
    await expect((await asked(core.owner(workspace), WISH, far)).spawn()).rejects.toMatchObject(FORBIDDEN);
  });

  it('must match what the call asks for, while the call is open', async () => {
    const call = await asked(alice);
    for (const more of [{ name: 'Other' }, { task: 'Read her mail' }, { cwd: '/' }, { args: ['--yolo'] }])
      await expect(call.spawn(more)).rejects.toMatchObject(FORBIDDEN);
    await expect(call.release('Alice')).rejects.toMatchObject(FORBIDDEN);
    await driver.answer({ result: 1 });
    await expect(call.spawn()).rejects.toMatchObject({ code: 'InvalidRequest' });
  });

  it('has no rights of a person whom the performer acts for', async () => {
    await driver.request('SPAWN', { ...WISH, name: 'Mine', waitMs: 0 });
    const owner = core.owner(workspace);
    const outside = await asked(owner, { ...WISH, cwd: '/elsewhere' });
    await expect(outside.spawn({ cwd: '/elsewhere' })).rejects.toMatchObject(FORBIDDEN);
    await (await asked(owner)).spawn();
    const eve = await core.join(workspace, 'Eve');
    await eve.serve({ name: 'create' });
    const release = await asked(owner, { name: 'Mine' }, eve);
    await expect(release.release('Mine')).rejects.toMatchObject(FORBIDDEN);
  });
});
