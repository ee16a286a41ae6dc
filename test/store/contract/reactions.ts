import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../packages/relay/src/core/ports/store/agents.ts';
import type { Store } from '../../../packages/relay/src/core/ports/store.ts';
import { ANY_NUMBER, NOW, newWorld } from './world.ts';

type Two = [Agent, Agent];

export function reactions(store: () => Store): void {
  describe('reactions', () => {
    it('are one per emoji and agent, in the order of first use', async () => {
      const { agents, dm, draft } = await newWorld(store(), 2);
      const [alice, bob] = agents as Two;
      const conversation = await dm(alice, bob);
      const first = await store().appendMessage(draft(alice, conversation, [bob]));
      const second = await store().appendMessage(draft(alice, conversation, [bob]));
      const react = (agent: Agent, emoji: string, at: number, seq = first.seq) =>
        store().addReaction({ seq, agentId: agent.id, emoji, at: NOW + at }, ANY_NUMBER);
      expect(await react(alice, '🦊', 1)).toBe('added');
      expect(await react(bob, '👍', 2)).toBe('added');
      expect(await react(bob, '🦊', 3)).toBe('added');
      expect(await react(bob, '🦊', 4)).toBe('present');
      expect(await react(bob, ':eyes:', 0, second.seq)).toBe('added');
      expect(await store().reactionsOf([first.seq, second.seq])).toEqual([
        { seq: first.seq, emoji: '🦊', agents: [alice.name, bob.name] },
        { seq: first.seq, emoji: '👍', agents: [bob.name] },
        { seq: second.seq, emoji: ':eyes:', agents: [bob.name] },
      ]);
      const fox = { seq: first.seq, agentId: alice.id, emoji: '🦊' };
      expect(await store().removeReaction(fox)).toBe(true);
      expect(await store().removeReaction(fox)).toBe(false);
      expect(await store().reactionsOf([first.seq])).toEqual([
        { seq: first.seq, emoji: '👍', agents: [bob.name] },
        { seq: first.seq, emoji: '🦊', agents: [bob.name] },
      ]);
      expect(await store().reactionsOf([])).toEqual([]);
    });

    it('are limited per agent and per message', async () => {
      const { agents, dm, draft } = await newWorld(store(), 2);
      const [alice, bob] = agents as Two;
      const { seq } = await store().appendMessage(draft(alice, await dm(alice, bob), [bob]));
      const react = (agent: Agent, emoji: string) =>
        store().addReaction({ seq, agentId: agent.id, emoji, at: NOW }, { ofAgent: 2, ofAll: 3 });
      const all = await Promise.all(['🦊', '👍', '👀'].map((emoji) => react(alice, emoji)));
      expect(all).toEqual(['added', 'added', 'agent full']);
      expect(await react(alice, '🦊')).toBe('present');
      expect(await react(bob, '🦊')).toBe('added');
      expect(await react(bob, '👍')).toBe('message full');
      await store().removeReaction({ seq, agentId: alice.id, emoji: '🦊' });
      expect(await react(bob, '👍')).toBe('added');
    });
  });
}
