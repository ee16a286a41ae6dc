import { describe, expect, it } from 'vitest';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { agentOf, defined, NOW, newWorld, recordOf, unique } from './world.ts';

export function agents(store: () => Store): void {
  describe('agents', () => {
    it('keep their profile', async () => {
      const { workspace } = await newWorld(store(), 0);
      const said = {
        ...agentOf(workspace.id),
        type: 'human' as const,
        lead: true,
        ephemeral: true,
        attention: 'end-of-turn' as const,
        cli: 'claude',
        task: 'review “this” \\ and that',
        parent: 'Boss',
        capabilities: ['review', { category: 'build:fast', description: 'Builds ✓' }],
        account: 'key 12345678',
        mcpEnabled: true,
      };
      const created = await store().createAgent(said);
      expect(created).toEqual({ ...said, id: expect.any(Number), lastSeenAt: NOW });
      expect(await store().findAgent(workspace.id, said.name)).toEqual(created);
      expect(await store().findAgentByToken(said.tokenHash)).toEqual(created);
      expect(await store().findAgentByToken('unknown')).toBeUndefined();
    });

    it('have names that are unique in the workspace, ignoring case', async () => {
      const { workspace } = await newWorld(store(), 0);
      const other = await newWorld(store(), 0);
      const alice = defined(await store().createAgent(agentOf(workspace.id, 'Alice')));
      expect(await store().createAgent(agentOf(workspace.id, 'aLICE'))).toBeUndefined();
      expect(await store().createAgent(agentOf(other.workspace.id, 'alice'))).toBeDefined();
      expect((await store().findAgent(workspace.id, 'ALICE'))?.id).toBe(alice.id);
      expect(await store().findAgent(workspace.id, 'Bob')).toBeUndefined();
    });

    it('have names that do not look alike, however they are set', async () => {
      const { workspace } = await newWorld(store(), 0);
      const names = ['Alice', 'AIice', 'A1ice', 'aLICE', 'alice', 'Bob', 'B0b'];
      const made = await Promise.all(names.map((name) => store().createAgent(agentOf(workspace.id, name))));
      expect(made.map((agent) => agent?.name).filter((name) => name !== undefined)).toEqual(['Alice', 'Bob']);
      const [alice, , , , , bob] = made;
      const record = recordOf(workspace.id);
      expect(await store().renameAgent(defined(bob).id, 'A1ice', record)).toBe(false);
      expect(await store().renameAgent(defined(bob).id, 'B0b', record)).toBe(true);
      await store().removeAgent(defined(alice).id, NOW);
      expect(await store().createAgent(agentOf(workspace.id, 'A1ice'))).toBeDefined();
    });

    it('have handles that no other agent uses as a name or handle', async () => {
      const { workspace } = await newWorld(store(), 0);
      const called = (name: string, handle?: string) =>
        store().createAgent({ ...agentOf(workspace.id, name), handle });
      const made = await Promise.all([
        called('Planner', 'bp'),
        called('BP'),
        called('Builder', 'Planner'),
        called('Tester', 'P1anner'),
        called('Writer', 'bp'),
        called('Helper', 'helper-1'),
        called('helper-l'),
      ]);
      expect(made.map((agent) => agent?.name)).toEqual([
        'Planner',
        undefined,
        undefined,
        undefined,
        undefined,
        'Helper',
        undefined,
      ]);
      const [planner, , , , , helper] = made;
      expect(await store().findAgent(workspace.id, 'planner')).toMatchObject({ handle: 'bp' });
      expect(await store().setHandle(defined(helper).id, 'BP')).toBe(false);
      expect(await store().setHandle(defined(helper).id, 'PIanner')).toBe(false);
      expect(await store().setHandle(defined(helper).id, 'hp')).toBe(true);
      expect(await store().renameAgent(defined(helper).id, 'bp', recordOf(workspace.id))).toBe(false);
      expect(await store().renameAgent(defined(helper).id, 'HP', recordOf(workspace.id))).toBe(true);
      expect(await store().findAgent(workspace.id, 'hp')).toMatchObject({ name: 'HP', handle: undefined });
      await store().removeAgent(defined(planner).id, NOW);
      expect(await called('Writer', 'bp')).toBeDefined();
    });

    it('change only the given fields', async () => {
      const { agents } = await newWorld(store(), 2);
      const [agent, other] = agents as [(typeof agents)[0], (typeof agents)[0]];
      const changes = {
        cli: 'codex',
        lead: true,
        grants: ['spawn' as const],
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
      const record = recordOf(workspace.id);
      expect(await store().renameAgent(alice.id, bob.name.toUpperCase(), record)).toBe(false);
      expect(await store().listAudit(workspace.id, 1)).toEqual([]);
      await store().removeAgent(carol.id, NOW);
      expect(await store().renameAgent(alice.id, carol.name, record)).toBe(true);
      expect(await store().listAudit(workspace.id, 2)).toEqual([record]);
      expect((await store().findAgent(workspace.id, carol.name))?.id).toBe(alice.id);
      expect(await store().findAgent(workspace.id, alice.name)).toBeUndefined();
      expect((await store().visibleMessage(undefined, workspace.id, id))?.senderName).toBe(carol.name);
    });

    it('free their name when removed, while their messages stay', async () => {
      const { workspace, agents, dm, draft } = await newWorld(store(), 2);
      const [alice, bob] = agents as [(typeof agents)[0], (typeof agents)[0]];
      const sent = await store().appendMessage(draft(alice, await dm(alice, bob), [bob]));
      await store().removeAgent(alice.id, NOW);
      expect(await store().findAgent(workspace.id, alice.name)).toBeUndefined();
      expect(await store().findAgentByToken(alice.tokenHash)).toBeUndefined();
      const heir = await store().createAgent(agentOf(workspace.id, alice.name.toUpperCase()));
      expect(heir?.id).not.toBe(alice.id);
      const kept = await store().visibleMessage(undefined, workspace.id, sent.id);
      expect(kept).toMatchObject({ senderId: alice.id, senderName: alice.name, recipientName: bob.name });
    });
  });
}
