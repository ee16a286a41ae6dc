import { nameKey } from '@agent-relay/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let workspace: Workspace;
let owner: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  workspace = await core.newWorkspace();
  owner = core.owner(workspace);
});

const refusalOf = (key: string) =>
  core.relay.workspaces.authenticate(key).then(
    () => 'It was let in.',
    ({ code, message, next }) => ({ code, message, next }),
  );

/** The same key with its last letter changed. */
const wrong = (key: string) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');

describe('a workspace', () => {
  it('is created with a key that opens it and no other', async () => {
    const created = await owner.request('WORKSPACE_CREATE', { name: `shop-${workspace.name}` });
    const opened = await core.relay.workspaces.authenticate(created.key);
    expect(opened).toMatchObject({ workspace: { name: created.name }, keyId: created.keyId });
    expect(created.socketPath).toContain(created.name);
  });

  it('has a unique name, ignoring case', async () => {
    const name = workspace.name.toUpperCase();
    await expect(owner.request('WORKSPACE_CREATE', { name })).rejects.toMatchObject({
      code: 'WorkspaceExists',
    });
    await expect(owner.request('WORKSPACE_CREATE', { name: 'no good' })).rejects.toMatchObject({
      code: 'InvalidName',
    });
  });

  it('is listed with the number of its agents', async () => {
    await core.join(workspace, 'Alice');
    await core.join(workspace, 'Bob');
    const { workspaces } = await owner.request('WORKSPACE_LIST', {});
    expect(workspaces.find(({ name }) => name === workspace.name)).toMatchObject({ agents: 2 });
  });

  it('does not see agents, messages or audit records of another one', async () => {
    const other = await core.newWorkspace();
    const alice = await core.join(workspace, 'Alice');
    const stranger = await core.join(other, 'Bob');
    await expect(stranger.send('Alice', 'Hello?')).rejects.toMatchObject({ code: 'AgentNotFound' });
    await stranger.send('*', 'Anyone?');
    expect(alice.delivered).toEqual([]);
    expect((await owner.request('AUDIT', {})).entries.map(({ actor }) => actor)).toEqual(['Alice']);
  });
});

describe('the workspace of a directory', () => {
  let number = 0;
  const directory = () => `/home/ann/${++number}/shop-${workspace.name}`;

  it('is created under its base name once, and found again', async () => {
    const root = directory();
    const first = await owner.request('PROJECT_OPEN', { root });
    expect(first).toMatchObject({ project: `shop-${workspace.name}`, created: true });
    expect(await owner.request('PROJECT_OPEN', { root })).toEqual({ ...first, created: false });
    await core.restart();
    const again = await core.owner(workspace).request('PROJECT_OPEN', { root });
    expect(again).toEqual({ ...first, created: false });
  });

  it('gets a number when the name is taken', async () => {
    const names: string[] = [];
    for (let i = 0; i < 3; i++)
      names.push((await owner.request('PROJECT_OPEN', { root: directory() })).project);
    expect(names).toEqual([`shop-${workspace.name}`, `shop-${workspace.name}-2`, `shop-${workspace.name}-3`]);
  });

  it('is created once when opened by many at once', async () => {
    const root = directory();
    const opened = await Promise.all([1, 2, 3].map(() => owner.request('PROJECT_OPEN', { root })));
    expect(new Set(opened.map(({ project }) => project)).size).toBe(1);
    expect(opened.filter(({ created }) => created)).toHaveLength(1);
  });

  it('is a separate one for each of two directories of the same name', async () => {
    const opened = await Promise.all(
      [directory(), directory()].map((root) => owner.request('PROJECT_OPEN', { root })),
    );
    expect(new Set(opened.map(({ project }) => nameKey(project))).size).toBe(2);
  });
});

describe('a key', () => {
  it('is stored as a hash only and listed by its id', async () => {
    const { key, keyId } = await owner.request('KEY_CREATE', {});
    const { keys } = await owner.request('KEY_LIST', {});
    expect(keys).toEqual([{ id: keyId, createdAt: core.clock.now() }]);
    // The secret follows the id, and may have the character between them in it.
    const secret = key.slice(key.indexOf(keyId) + keyId.length + 1);
    expect(secret.length).toBeGreaterThan(30);
    expect(JSON.stringify(await core.relay.store.listKeys(workspace.id))).not.toContain(secret);
  });

  it('that is wrong, revoked, unknown or invalid is refused with the same message', async () => {
    const valid = await owner.request('KEY_CREATE', {});
    const revoked = await owner.request('KEY_CREATE', {});
    await owner.request('KEY_REVOKE', { keyId: revoked.keyId });
    const [, , secret] = valid.key.split('_');
    const keys = [wrong(valid.key), revoked.key, `rk_00000000_${secret}`, 'rk_', '', 'Bearer x'];
    const refusals = await Promise.all(keys.map(refusalOf));
    expect(refusals[0]).toMatchObject({ code: 'Unauthorized' });
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
    expect(await refusalOf(valid.key)).toBe('It was let in.');
  });

  it('opens its own workspace only, and is revoked only there', async () => {
    const other = await core.newWorkspace();
    const { key, keyId } = await core.owner(other).request('KEY_CREATE', {});
    expect((await core.relay.workspaces.authenticate(key)).workspace).toEqual(other);
    await expect(owner.request('KEY_REVOKE', { keyId })).rejects.toMatchObject({ code: 'KeyNotFound' });
    expect(await refusalOf(key)).toBe('It was let in.');
  });

  it('is revoked once, and the audit trail says by whom', async () => {
    const { keyId } = await owner.request('KEY_CREATE', {});
    expect(core.relay.workspaces.isRevoked(keyId)).toBe(false);
    await owner.request('KEY_REVOKE', { keyId });
    expect(core.relay.workspaces.isRevoked(keyId)).toBe(true);
    await expect(owner.request('KEY_REVOKE', { keyId })).rejects.toMatchObject({ code: 'KeyNotFound' });
    expect((await owner.request('AUDIT', {})).entries).toMatchObject([
      { actor: 'owner', action: 'key.revoked', subject: keyId },
      { actor: 'owner', action: 'key.created', subject: keyId },
    ]);
  });

  it('revokes all other keys of its workspace when it is rotated', async () => {
    const old = [await owner.request('KEY_CREATE', {}), await owner.request('KEY_CREATE', {})];
    const other = await core.owner(await core.newWorkspace()).request('KEY_CREATE', {});
    const rotated = await owner.request('KEY_ROTATE', {});
    expect(rotated.revoked.sort()).toEqual(old.map(({ keyId }) => keyId).sort());
    expect(await refusalOf(rotated.key)).toBe('It was let in.');
    expect(await refusalOf(other.key)).toBe('It was let in.');
    for (const { key } of old) expect(await refusalOf(key)).toMatchObject({ code: 'Unauthorized' });
  });

  it('stays revoked after a restart', async () => {
    const { key, keyId } = await owner.request('KEY_CREATE', {});
    await owner.request('KEY_REVOKE', { keyId });
    await core.restart();
    expect(await refusalOf(key)).toMatchObject({ code: 'Unauthorized' });
  });
});
