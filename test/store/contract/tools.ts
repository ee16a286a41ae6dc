import type { ToolDefinition } from '@agent-relay/protocol';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { NOW, newWorld } from './world.ts';

const toolOf = (name: string): ToolDefinition => ({
  name,
  description: `does “${name}” \\ or not`,
  inputSchema: { type: 'object', properties: { deep: { type: 'string' } } },
});

export function tools(store: () => Store): void {
  describe('tools', () => {
    it('are stored unchanged, in order, and replaced as a whole', async () => {
      const { agents } = await newWorld(store(), 2);
      const [alice, bob] = agents as [Agent, Agent];
      await store().setTools(alice.id, [toolOf('zip'), toolOf('add'), toolOf('zip')]);
      await store().setTools(bob.id, [toolOf('see')]);
      expect(await store().toolsOf(alice.id)).toEqual([toolOf('zip'), toolOf('add'), toolOf('zip')]);
      await store().setTools(alice.id, [toolOf('one')]);
      expect(await store().toolsOf(alice.id)).toEqual([toolOf('one')]);
      await store().setTools(alice.id, []);
      expect(await store().toolsOf(alice.id)).toEqual([]);
      expect(await store().toolsOf(bob.id)).toEqual([toolOf('see')]);
    });

    it('are listed by name for agents that offer any', async () => {
      const { agents } = await newWorld(store(), 3);
      const [alice, bob, carol] = agents as [Agent, Agent, Agent];
      await store().setTools(carol.id, [toolOf('zip'), toolOf('add')]);
      await store().setTools(alice.id, [toolOf('see')]);
      expect(await store().toolNames([carol.id, bob.id, alice.id])).toEqual([
        { agentId: alice.id, names: ['see'] },
        { agentId: carol.id, names: ['zip', 'add'] },
      ]);
      expect(await store().toolNames([])).toEqual([]);
    });

    it('find the agents of a workspace that offer one', async () => {
      const { agents } = await newWorld(store(), 3);
      const [alice, bob, carol] = agents as [Agent, Agent, Agent];
      const elsewhere = await newWorld(store(), 1);
      for (const agent of [carol, alice, elsewhere.agents[0] as Agent])
        await store().setTools(agent.id, [toolOf('zip'), toolOf('zip')]);
      await store().setTools(bob.id, [toolOf('zipper')]);
      expect(await store().toolOwners(alice.workspaceId, 'zip')).toEqual([alice.id, carol.id]);
      expect(await store().toolOwners(alice.workspaceId, 'nothing')).toEqual([]);
    });

    it('are deleted with their agent', async () => {
      const { agents } = await newWorld(store(), 1);
      const [alice] = agents as [Agent];
      await store().setTools(alice.id, [toolOf('see')]);
      await store().removeAgent(alice.id, NOW);
      expect(await store().toolsOf(alice.id)).toEqual([]);
      await store().setTools(alice.id, [toolOf('see')]);
      expect(await store().toolsOf(alice.id)).toEqual([]);
    });
  });
}
