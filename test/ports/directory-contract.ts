import { describe, expect, it } from 'vitest';
import type { Directory } from '../../packages/relay/src/core/ports/directory.ts';
import { ManualClock } from '../kit/manual-clock.ts';

const GONE_AFTER_MS = 1000;

/** The directory contract; `daemons` returns the directories of this many daemons that share one. */
export function directoryContract(
  name: string,
  daemons: (count: number, clock: ManualClock, goneAfterMs: number) => Promise<Directory[]>,
): void {
  describe(`the directory contract: ${name}`, () => {
    const two = async () => {
      const clock = new ManualClock();
      const [one, other] = (await daemons(2, clock, GONE_AFTER_MS)) as [Directory, Directory];
      return { clock, one, other };
    };
    const presence = (session?: string) => ({ agentId: 7, session });

    it('knows an agent connected to any daemon, from its first to its last connection', async () => {
      const { one, other } = await two();
      const [here, there] = [presence(), presence()];
      expect(one.arrived(here)).toEqual({ isFirst: true });
      await expect.poll(() => other.isOnline(7)).toBe(true);
      expect(other.arrived(there)).toEqual({ isFirst: false });
      await expect.poll(() => one.find(7)?.connections).toBe(2);
      expect(one.left(here)).toEqual({ isLast: false });
      await expect.poll(() => other.find(7)?.connections).toBe(1);
      expect(other.left(there)).toEqual({ isLast: true });
      expect(other.isOnline(7)).toBe(false);
      await expect.poll(() => one.isOnline(7)).toBe(false);
    });

    it('knows when an agent last changed its offer', async () => {
      const { clock, one, other } = await two();
      const offeredAt = () => other.find(7)?.offeredAt;
      const [here, there] = [presence(), presence()];
      one.arrived(here);
      const joined = clock.now();
      await expect.poll(offeredAt).toBe(joined);
      clock.advance(10);
      other.arrived(there);
      one.active(7);
      expect(offeredAt()).toBe(joined);
      one.offered(7);
      await expect.poll(offeredAt).toBe(joined + 10);
      one.left(here);
      other.left(there);
      clock.advance(10);
      one.arrived(here);
      await expect.poll(offeredAt).toBe(joined + 20);
    });

    it('knows what the connections of all daemons serve', async () => {
      const { one, other } = await two();
      const tool = (name: string) => ({ name, description: '', inputSchema: {} });
      const server = { agentId: 7, workspaceId: 1, actions: [] };
      one.serves({ ...server, id: 'first', tools: [tool('add'), tool('zip')] });
      other.serves({ ...server, id: 'second', tools: [tool('add')] });
      await expect.poll(() => one.serversOf(7).map(({ id }) => id)).toEqual(['first', 'second']);
      await expect.poll(() => [...other.agentsServing(1, 'zip')]).toEqual([7]);
      expect([...one.agentsServing(2, 'zip')]).toEqual([]);
      one.serves({ ...server, id: 'first', tools: [] });
      await expect.poll(() => [...other.agentsServing(1, 'zip')]).toEqual([]);
      expect([...other.agentsServing(1, 'add')]).toEqual([7]);
      other.serves({ ...server, id: 'second', tools: [] });
      expect(other.serversOf(7)).toEqual([]);
      expect([...other.agentsServing(1, 'add')]).toEqual([]);
    });

    it('knows the actions of all daemons, by their last connection', async () => {
      const { one, other } = await two();
      const actions = [{ name: 'review.vote', description: '', inputSchema: {} }];
      const server = { agentId: 7, workspaceId: 1, tools: [] };
      one.serves({ ...server, id: 'old', actions });
      other.serves({ ...server, id: 'new', actions });
      const found = () => one.findAction(1, 'review_vote')?.server.id;
      await expect.poll(found).toBe('new');
      expect(one.actionsIn(1)).toHaveLength(1);
      expect(one.findAction(2, 'review_vote')).toBeUndefined();
      other.serves({ ...server, id: 'new', actions: [] });
      await expect.poll(found).toBe('old');
      one.serves({ ...server, id: 'old', actions: [] });
      expect(one.actionsIn(1)).toEqual([]);
    });

    it('counts a connection that ends twice once', async () => {
      const { one } = await two();
      const [first, second] = [presence(), presence()];
      one.arrived(first);
      one.arrived(second);
      expect([one.left(first), one.left(first)]).toEqual([{ isLast: false }, { isLast: false }]);
      expect(one.isOnline(7)).toBe(true);
    });

    it('measures how long an agent is idle, whatever the clock is set to', async () => {
      const { clock, one } = await two();
      one.arrived(presence());
      const connectedAt = clock.now();
      clock.advance(500);
      clock.set(-3_600_000);
      expect(one.find(7)).toMatchObject({ connections: 1, connectedAt, restedMs: 500 });
      one.active(7);
      expect(one.find(7)).toMatchObject({ lastActivityAt: clock.now(), restedMs: 0 });
    });

    it('gives an agent time to reconnect, then reports to its daemon that it left, with its last activity', async () => {
      const { clock, one, other } = await two();
      const gone: Array<[daemon: string, agentId: number, lastActivityAt: number]> = [];
      one.onGone = (...of) => gone.push(['one', ...of]);
      other.onGone = (...of) => gone.push(['other', ...of]);
      const here = presence();
      one.arrived(here);
      one.left(here);
      clock.advance(GONE_AFTER_MS - 1);
      expect(one.find(7)).toMatchObject({ connections: 0 });
      const again = presence();
      expect(one.arrived(again)).toEqual({ isFirst: true });
      const lastActivityAt = clock.now();
      clock.advance(GONE_AFTER_MS);
      expect(gone).toEqual([]);
      one.left(again);
      clock.advance(GONE_AFTER_MS);
      expect(gone).toEqual([['one', 7, lastActivityAt]]);
      expect(one.find(7)).toBeUndefined();
    });

    it('lists the sessions of an agent, and counts the agents', async () => {
      const { one, other } = await two();
      one.arrived(presence('s1'));
      other.arrived(presence());
      one.arrived({ agentId: 8, session: undefined });
      await expect.poll(() => one.sessionsOf(7).toSorted()).toEqual(['s1', undefined]);
      expect(one.agentsOnline()).toBe(2);
      expect(one.sessionsOf(9)).toEqual([]);
    });
  });
}
