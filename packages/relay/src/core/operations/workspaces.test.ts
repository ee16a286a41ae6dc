import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore, type Participant, type TestCore } from '../../../../../test/kit/core.ts';
import type { Workspace } from '../ports/store/workspaces.ts';

let core: TestCore;
let home: Workspace;
let doomed: Workspace;
let owner: Participant;
let alice: Participant;
let zoe: Participant;

beforeAll(async () => {
  core = await openCore();
});
afterAll(() => core[Symbol.asyncDispose]());
beforeEach(async () => {
  home = await core.newWorkspace();
  doomed = await core.newWorkspace();
  owner = core.owner(home);
  alice = await core.join(home, 'Alice');
  zoe = await core.join(doomed, 'Zoe');
});

const audit = async () => (await owner.request('AUDIT', {})).entries;
const projects = async () => (await owner.request('WORKSPACE_LIST', {})).workspaces.map(({ name }) => name);
const remove = (workspace: string) => owner.request('WORKSPACE_REMOVE', { workspace });

describe('a workspace that is renamed', () => {
  it('continues under its new name, with its agents, messages and connections', async () => {
    const name = `${doomed.name}-new`;
    const before = doomed.name;
    await alice.send(`${before}:Zoe`, 'To the old name.');
    expect(await owner.request('WORKSPACE_RENAME', { workspace: before, name })).toEqual({
      name,
      socketPath: `/run/${before}.sock`,
    });
    await alice.send(`${name}:Zoe`, 'To the new name.');
    expect(zoe.delivered).toHaveLength(2);
    expect(zoe.isRevoked).toBe(false);
    const toldTheNewName = {
      code: 'ProjectNotFound',
      message: `The project "${before}" was renamed to "${name}".`,
      details: { suggestions: [name] },
    };
    await expect(alice.send(`${before}:Zoe`, 'x')).rejects.toMatchObject(toldTheNewName);
    await core.restart();
    expect(core.relay.workspaces.find(name)?.id).toBe(doomed.id);
    expect(core.relay.workspaces.find(before)).toBeUndefined();
    const back = await core.join(home, 'Alice', { token: alice.token });
    await expect(back.send(`${before}:Zoe`, 'x')).rejects.toMatchObject(toldTheNewName);
    const opened = await core.relay.openProject('/somewhere', before);
    expect(opened).toMatchObject({ created: false, workspace: { id: doomed.id } });
    const heir = await core.relay.createWorkspace(before);
    expect(heir.directory).toBe(`${before}~2`);
    const yan = await core.join(heir, 'Yan');
    await back.send(`${before}:Yan`, 'To whoever is called so now.');
    expect(yan.delivered).toHaveLength(1);
  });

  it('has its rename in the audit log', async () => {
    const before = doomed.name;
    await owner.request('WORKSPACE_RENAME', { workspace: before, name: `${before}-new` });
    expect((await core.owner(doomed).request('AUDIT', { limit: 1 })).entries).toMatchObject([
      { actor: 'owner', action: 'workspace.renamed', subject: `${before}-new`, detail: { before } },
    ]);
  });

  it('may change the case of its name, but not take a used one', async () => {
    const workspace = doomed.name;
    await owner.request('WORKSPACE_RENAME', { workspace, name: workspace.toUpperCase() });
    expect(await projects()).toContain(workspace.toUpperCase());
    const taken = owner.request('WORKSPACE_RENAME', { workspace, name: home.name.toUpperCase() });
    await expect(taken).rejects.toMatchObject({ code: 'WorkspaceExists' });
    const wrong = owner.request('WORKSPACE_RENAME', { workspace, name: 'no good' });
    await expect(wrong).rejects.toMatchObject({ code: 'InvalidName' });
  });
});

describe('a workspace that is removed', () => {
  it('is deleted with everything in it, and its connections end', async () => {
    const { key } = await owner.request('KEY_CREATE', { workspace: doomed.name });
    const { messageId } = await zoe.send('#general', 'Anybody here?');
    await remove(doomed.name);
    expect(await projects()).not.toContain(doomed.name);
    expect([zoe.isRevoked, alice.isRevoked]).toEqual([true, false]);
    await expect(core.relay.workspaces.authenticate(key)).rejects.toMatchObject({ code: 'Unauthorized' });
    await expect(core.relay.agents.byToken(zoe.token)).rejects.toMatchObject({ code: 'Unauthorized' });
    await expect(alice.send(`${doomed.name}:Zoe`, 'x')).rejects.toMatchObject({ code: 'ProjectNotFound' });
    expect(await core.relay.store.visibleMessage(undefined, doomed.id, messageId)).toBeUndefined();
    expect(await core.relay.store.listAgents(doomed.id)).toEqual([]);
    await core.restart();
    expect(core.relay.workspaces.find(doomed.name)).toBeUndefined();
  });

  it('frees its name for a new one, which starts empty', async () => {
    await zoe.send('#general', 'Anybody here?');
    await zoe.request('CHANNEL_CREATE', { name: 'build' });
    await remove(doomed.name);
    await owner.request('WORKSPACE_CREATE', { name: doomed.name });
    const again = core.relay.workspaces.get(doomed.name);
    const successor = await core.join(again, 'Zoe');
    expect((await successor.request('HISTORY', {})).messages).toEqual([]);
    expect((await successor.request('CHANNEL_LIST', {})).channels).toMatchObject([
      { name: '#general', members: 1 },
    ]);
    expect(await successor.send('#general', 'First!')).toMatchObject({ recipients: 0 });
  });

  it('leaves an audit record in a workspace that still exists', async () => {
    await remove(doomed.name);
    expect((await audit())[0]).toEqual({
      at: core.clock.now(),
      actor: 'owner',
      action: 'workspace.removed',
      subject: doomed.name,
    });
  });

  it("may be the requester's own: the request is answered, and another workspace has the audit record", async () => {
    const inside = core.owner(doomed);
    inside.connect();
    expect(await inside.request('WORKSPACE_REMOVE', { workspace: doomed.name })).toEqual({});
    expect([zoe.isRevoked, inside.isRevoked]).toEqual([true, false]);
    core.clock.advance(0);
    expect(inside.isRevoked).toBe(true);
    const [oldest] = core.relay.workspaces.list();
    expect((await core.owner(oldest ?? home).request('AUDIT', { limit: 1 })).entries).toMatchObject([
      { actor: 'owner', action: 'workspace.removed', subject: doomed.name },
    ]);
  });

  it('leaves messages of its agents in other projects', async () => {
    await zoe.send(`${home.name}:Alice`, 'Remember me.');
    await remove(doomed.name);
    expect((await alice.request('INBOX', {})).messages).toMatchObject([
      { from: 'Zoe', fromProject: 'a removed project', content: 'Remember me.' },
    ]);
    const answer = alice.reply(alice.delivered[0]?.id ?? '', 'Too late?');
    await expect(answer).rejects.toMatchObject({ code: 'AgentNotFound' });
  });

  it('must exist', async () => {
    await expect(remove(`${doomed.name}x`)).rejects.toMatchObject({
      code: 'ProjectNotFound',
      details: { suggestions: expect.arrayContaining([doomed.name]) },
    });
  });
});
