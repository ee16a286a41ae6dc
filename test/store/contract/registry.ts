import { describe, expect, it } from 'vitest';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { agentOf, defined, NOW, newWorld, unique } from './world.ts';

export function workspacesAndAgents(store: () => Store): void {
  describe('workspaces', () => {
    it('have names that are unique without case', async () => {
      const name = unique('Project');
      const created = await store().createWorkspace({ name, root: '/home/me/project', createdAt: NOW });
      expect(created).toEqual({
        id: expect.any(Number),
        name,
        formerNames: [],
        root: '/home/me/project',
        createdAt: NOW,
      });
      const again = { name: name.toUpperCase(), root: undefined, createdAt: NOW };
      expect(await store().createWorkspace(again)).toBeUndefined();
    });

    it('can be renamed, unless the name is taken', async () => {
      const { workspace } = await newWorld(store(), 0);
      const other = await newWorld(store(), 0);
      const name = unique('Renamed');
      expect(await store().renameWorkspace(workspace.id, name)).toBe(true);
      expect(await store().renameWorkspace(workspace.id, name.toLowerCase())).toBe(true);
      expect(await store().renameWorkspace(other.workspace.id, name.toUpperCase())).toBe(false);
      const listed = await store().listWorkspaces();
      expect(listed.find(({ id }) => id === workspace.id)).toEqual({
        ...workspace,
        name: name.toLowerCase(),
        formerNames: [workspace.name, name],
      });
      expect(listed.find(({ id }) => id === other.workspace.id)).toEqual(other.workspace);
      expect(await store().renameWorkspace(0, unique('Nothing'))).toBe(false);
    });

    it('are listed oldest first', async () => {
      const names = [unique('b'), unique('a'), unique('c')];
      for (const name of names) await store().createWorkspace({ name, root: undefined, createdAt: NOW });
      const listed = (await store().listWorkspaces()).slice(-3);
      expect(listed.map(({ name, root }) => [name, root])).toEqual(names.map((name) => [name, undefined]));
    });
  });

  describe('workspace keys', () => {
    const newKeys = async (count: number) => {
      const { workspace } = await newWorld(store(), 0);
      const ids = Array.from({ length: count }, () => unique('key'));
      for (const [index, id] of ids.entries()) {
        await store().addKey({
          id,
          workspaceId: workspace.id,
          hash: `hash of ${id}`,
          createdAt: NOW + index,
        });
      }
      return { workspaceId: workspace.id, ids };
    };

    it('are found by id and listed oldest first', async () => {
      const { workspaceId, ids } = await newKeys(3);
      expect((await store().listKeys(workspaceId)).map(({ id }) => id)).toEqual(ids);
      const id = defined(ids[0]);
      const key = { id, workspaceId, hash: `hash of ${id}`, createdAt: NOW, revokedAt: undefined };
      expect(await store().findKey(id)).toEqual(key);
      expect(await store().findKey('nobody')).toBeUndefined();
    });

    it('are revoked one by one, once', async () => {
      const { workspaceId, ids } = await newKeys(2);
      const id = defined(ids[0]);
      expect(await store().revokeKeys({ workspaceId, id, at: NOW + 5 })).toEqual([id]);
      expect(await store().revokeKeys({ workspaceId, id, at: NOW + 9 })).toEqual([]);
      expect((await store().findKey(id))?.revokedAt).toBe(NOW + 5);
      expect((await store().findKey(defined(ids[1])))?.revokedAt).toBeUndefined();
    });

    it('are revoked all but one, and only those of the workspace', async () => {
      const { workspaceId, ids } = await newKeys(3);
      const other = await newKeys(1);
      const [first, second, kept] = ids as [string, string, string];
      await store().revokeKeys({ workspaceId, id: first, at: NOW });
      expect(await store().revokeKeys({ workspaceId, exceptId: kept, at: NOW })).toEqual([second]);
      expect((await store().findKey(defined(other.ids[0])))?.revokedAt).toBeUndefined();
      expect(await store().revokeKeys({ workspaceId, id: defined(other.ids[0]), at: NOW })).toEqual([]);
    });
  });

  describe('agents', () => {
    it('keep everything they say about themselves', async () => {
      const { workspace } = await newWorld(store(), 0);
      const said = {
        ...agentOf(workspace.id),
        type: 'human' as const,
        lead: true,
        ephemeral: true,
        cli: 'claude',
        task: 'review “this” \\ and that',
        parent: 'Boss',
        capabilities: ['review', 'build:fast'],
        tools: [{ name: 'echo', description: 'says it again', inputSchema: { type: 'object' } }],
        mcpEnabled: true,
      };
      const created = await store().createAgent(said);
      expect(created).toEqual({ ...said, id: expect.any(Number), lastSeenAt: NOW });
      expect(await store().findAgent(workspace.id, said.name)).toEqual(created);
      expect(await store().findAgentByToken(said.tokenHash)).toEqual(created);
      expect(await store().findAgentByToken('unknown')).toBeUndefined();
    });

    it('have names that are unique in the workspace without case', async () => {
      const { workspace } = await newWorld(store(), 0);
      const other = await newWorld(store(), 0);
      const alice = defined(await store().createAgent(agentOf(workspace.id, 'Alice')));
      expect(await store().createAgent(agentOf(workspace.id, 'aLICE'))).toBeUndefined();
      expect(await store().createAgent(agentOf(other.workspace.id, 'alice'))).toBeDefined();
      expect((await store().findAgent(workspace.id, 'ALICE'))?.id).toBe(alice.id);
      expect(await store().findAgent(workspace.id, 'Bob')).toBeUndefined();
    });

    it('have names that cannot be taken for each other, however they come', async () => {
      const { workspace } = await newWorld(store(), 0);
      const names = ['Alice', 'AIice', 'A1ice', 'aLICE', 'alice', 'Bob', 'B0b'];
      const made = await Promise.all(names.map((name) => store().createAgent(agentOf(workspace.id, name))));
      expect(made.map((agent) => agent?.name).filter((name) => name !== undefined)).toEqual(['Alice', 'Bob']);
      const [alice, , , , , bob] = made;
      expect(await store().renameAgent(defined(bob).id, 'A1ice')).toBe(false);
      expect(await store().renameAgent(defined(bob).id, 'B0b')).toBe(true);
      await store().removeAgent(defined(alice).id, NOW);
      expect(await store().createAgent(agentOf(workspace.id, 'A1ice'))).toBeDefined();
    });

    it('change only what is given', async () => {
      const { agents } = await newWorld(store(), 2);
      const [agent, other] = agents as [(typeof agents)[0], (typeof agents)[0]];
      const changes = {
        cli: 'codex',
        lead: true,
        capabilities: ['x'],
        tokenHash: unique('token'),
        lastSeenAt: NOW + 7,
      };
      await store().updateAgent(agent.id, changes);
      await store().updateAgent(agent.id, { cli: undefined });
      await store().updateAgent(agent.id, {});
      expect(await store().findAgent(agent.workspaceId, agent.name)).toEqual({
        ...agent,
        ...changes,
        cli: undefined,
      });
      expect(await store().findAgent(other.workspaceId, other.name)).toEqual(other);
    });

    it('are listed and counted in the order of registration, without those removed', async () => {
      const { workspace, agents } = await newWorld(store(), 3);
      await store().removeAgent(defined(agents[1]).id, NOW);
      expect(await store().listAgents(workspace.id)).toEqual([agents[0], agents[2]]);
      const counts = await store().countAgents();
      expect(counts.find(({ workspaceId }) => workspaceId === workspace.id)?.agents).toBe(2);
    });

    it('can be renamed, unless the name is taken', async () => {
      const { workspace, agents, dm, draft } = await newWorld(store(), 3);
      const [alice, bob, carol] = agents as [(typeof agents)[0], (typeof agents)[0], (typeof agents)[0]];
      const { id } = await store().appendMessage(draft(alice, await dm(alice, bob), [bob]));
      expect(await store().renameAgent(alice.id, bob.name.toUpperCase())).toBe(false);
      await store().removeAgent(carol.id, NOW);
      expect(await store().renameAgent(alice.id, carol.name)).toBe(true);
      expect((await store().findAgent(workspace.id, carol.name))?.id).toBe(alice.id);
      expect(await store().findAgent(workspace.id, alice.name)).toBeUndefined();
      expect((await store().findMessage(workspace.id, id))?.senderName).toBe(carol.name);
    });

    it('may write to another workspace while that is granted', async () => {
      const { agents } = await newWorld(store(), 2);
      const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
      const other = await newWorld(store(), 0);
      const granted = () => store().hasGrant(alice.id, other.workspace.id);
      expect(await granted()).toBe(false);
      await store().setGrant(alice.id, other.workspace.id, true);
      await store().setGrant(alice.id, other.workspace.id, true);
      expect(await granted()).toBe(true);
      expect(await store().hasGrant(bob.id, other.workspace.id)).toBe(false);
      expect(await store().hasGrant(alice.id, alice.workspaceId)).toBe(false);
      await store().setGrant(alice.id, other.workspace.id, false);
      expect(await granted()).toBe(false);
      await store().setGrant(alice.id, other.workspace.id, true);
      await store().removeAgent(alice.id, NOW);
      expect(await granted()).toBe(false);
    });

    it('leave their name free when removed, while what they sent stays', async () => {
      const { workspace, agents, dm, draft } = await newWorld(store(), 2);
      const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
      const sent = await store().appendMessage(draft(alice, await dm(alice, bob), [bob]));
      await store().removeAgent(alice.id, NOW);
      expect(await store().findAgent(workspace.id, alice.name)).toBeUndefined();
      expect(await store().findAgentByToken(alice.tokenHash)).toBeUndefined();
      const heir = await store().createAgent(agentOf(workspace.id, alice.name.toUpperCase()));
      expect(heir?.id).not.toBe(alice.id);
      const kept = await store().findMessage(workspace.id, sent.id);
      expect(kept).toMatchObject({ senderId: alice.id, senderName: alice.name, recipientName: bob.name });
    });
  });

  describe('audit', () => {
    it('gives the newest records of a workspace first', async () => {
      const { workspace } = await newWorld(store(), 0);
      const other = await newWorld(store(), 0);
      const record = (action: string, workspaceId = workspace.id) => ({
        workspaceId,
        at: NOW,
        actor: 'Alice',
        action,
        subject: 'key-1',
        detail: action === 'second' ? { reason: 'lost', keys: [1, 2] } : undefined,
      });
      for (const action of ['first', 'second', 'third']) await store().appendAudit(record(action));
      await store().appendAudit(record('elsewhere', other.workspace.id));
      expect(await store().listAudit(workspace.id, 2)).toEqual([record('third'), record('second')]);
      expect(await store().listAudit(workspace.id, 100)).toHaveLength(3);
    });
  });
}
