import { describe, expect, it } from 'vitest';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { defined, NOW, newWorld, recordOf, unique } from './world.ts';

export function workspaces(store: () => Store): void {
  describe('workspaces', () => {
    it('have names that are unique, ignoring case', async () => {
      const name = unique('Project');
      const created = await store().createWorkspace({ name, root: '/home/me/project', createdAt: NOW });
      expect(created).toEqual({
        id: expect.any(Number),
        name,
        formerNames: [],
        directory: name,
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
      const record = recordOf(workspace.id);
      expect(await store().renameWorkspace(workspace.id, name, record)).toBe(true);
      expect(await store().renameWorkspace(workspace.id, name.toLowerCase(), record)).toBe(true);
      expect(await store().renameWorkspace(other.workspace.id, name.toUpperCase(), record)).toBe(false);
      const listed = await store().listWorkspaces();
      expect(listed.find(({ id }) => id === workspace.id)).toEqual({
        ...workspace,
        name: name.toLowerCase(),
        formerNames: [workspace.name, name],
      });
      expect(listed.find(({ id }) => id === other.workspace.id)).toEqual(other.workspace);
      expect(await store().renameWorkspace(0, unique('Nothing'), record)).toBe(false);
      expect(await store().listAudit(workspace.id, 10)).toEqual([record, record]);
    });

    it('have a fixed and unique directory', async () => {
      const [name, another, third] = [unique('Shop'), unique('Another'), unique('Third')];
      const create = async (spelled: string) =>
        defined(await store().createWorkspace({ name: spelled, root: undefined, createdAt: NOW }));
      const first = await create(name);
      await store().renameWorkspace(first.id, another, recordOf(first.id));
      const second = await create(name.toLowerCase());
      await store().renameWorkspace(second.id, third, recordOf(second.id));
      await create(name);
      const directories = (await store().listWorkspaces()).slice(-3).map(({ directory }) => directory);
      expect(directories).toEqual([name, `${name.toLowerCase()}~2`, `${name}~3`]);
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

    it('can be revoked all but one, only in their workspace', async () => {
      const { workspaceId, ids } = await newKeys(3);
      const other = await newKeys(1);
      const [first, second, kept] = ids as [string, string, string];
      await store().revokeKeys({ workspaceId, id: first, at: NOW });
      expect(await store().revokeKeys({ workspaceId, exceptId: kept, at: NOW })).toEqual([second]);
      expect((await store().findKey(defined(other.ids[0])))?.revokedAt).toBeUndefined();
      expect(await store().revokeKeys({ workspaceId, id: defined(other.ids[0]), at: NOW })).toEqual([]);
    });
  });

  describe('a grant', () => {
    it('lets an agent write to another workspace until it is revoked', async () => {
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
  });
}
