import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { defined, NOW, newWorld } from './world.ts';

export function channels(store: () => Store): void {
  describe('channels', () => {
    const channelOf = (workspaceId: number, name: string, topic?: string) => ({
      workspaceId,
      name,
      topic,
      createdBy: 'Alice',
      createdAt: NOW,
      account: 'key 12345678',
    });

    it('are created once, ignoring case, and listed in order of creation', async () => {
      const { workspace } = await newWorld(store(), 0);
      const other = await newWorld(store(), 0);
      const build = await store().createChannel(channelOf(workspace.id, 'Build', 'what broke'));
      expect(build).toEqual({
        ...channelOf(workspace.id, 'Build', 'what broke'),
        id: expect.any(Number),
        archivedAt: undefined,
      });
      expect(await store().createChannel(channelOf(workspace.id, 'bUILD'))).toBeUndefined();
      expect(await store().createChannel(channelOf(other.workspace.id, 'build'))).toBeDefined();
      const archive = await store().createChannel(channelOf(workspace.id, 'a'));
      expect(await store().listChannels(workspace.id)).toEqual([build, archive]);
    });

    it('are the conversations that messages find by key', async () => {
      const { workspace } = await newWorld(store(), 0);
      const channel = await store().createChannel(channelOf(workspace.id, 'Build'));
      const wanted = { workspaceId: workspace.id, kind: 'channel' as const, key: '#build', createdAt: NOW };
      expect((await store().ensureConversation(wanted)).id).toBe(channel?.id);
    });

    it('change their topic, and are archived and reopened, independently', async () => {
      const { workspace } = await newWorld(store(), 0);
      const channel = defined(await store().createChannel(channelOf(workspace.id, 'build', 'old')));
      const changed = async (changes: Parameters<Store['updateChannel']>[1]) => {
        await store().updateChannel(channel.id, changes);
        return (await store().listChannels(workspace.id))[0];
      };
      expect(await changed({ topic: 'new' })).toEqual({ ...channel, topic: 'new' });
      expect(await changed({ archivedAt: NOW + 1 })).toEqual({
        ...channel,
        topic: 'new',
        archivedAt: NOW + 1,
      });
      expect(await changed({ archivedAt: null })).toEqual({ ...channel, topic: 'new' });
    });

    it('have members who join and leave, without removed agents', async () => {
      const { workspace, agents, newChannel } = await newWorld(store(), 3);
      const [alice, bob, carol] = agents as [Agent, Agent, Agent];
      const { id } = await newChannel('build');
      const other = await newChannel('other', carol);
      expect(await store().addMember(id, alice.id, NOW)).toBe(true);
      expect(await store().addMember(id, alice.id, NOW)).toBe(false);
      expect(await store().addMember(id, bob.id, NOW)).toBe(true);
      expect(await store().removeMember(id, alice.id)).toBe(true);
      expect(await store().removeMember(id, alice.id)).toBe(false);
      expect(await store().removeMember(id, carol.id)).toBe(false);
      const memberships = () => store().listMemberships(workspace.id);
      expect(await memberships()).toEqual([
        { channelId: id, agentId: bob.id },
        { channelId: other.id, agentId: carol.id },
      ]);
      expect(await store().addMember(id, alice.id, NOW)).toBe(true);
      await store().removeAgent(carol.id, NOW);
      expect(await memberships()).toEqual([
        { channelId: id, agentId: alice.id },
        { channelId: id, agentId: bob.id },
      ]);
    });
  });
}
