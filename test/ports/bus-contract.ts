import { describe, expect, it } from 'vitest';
import type { Bus, News } from '../../packages/relay/src/core/ports/bus.ts';

const event = (agent: string): News => ({
  kind: 'event',
  audience: { kind: 'workspace', workspaceId: 1 },
  event: { type: 'agent.online', agent },
});

/** The bus contract; `daemons` returns the buses of this many daemons that share one. */
export function busContract(name: string, daemons: (count: number) => Promise<Bus[]>): void {
  describe(`the bus contract: ${name}`, () => {
    const listening = (bus: Bus) => {
      const heard: Array<[agent: string, isOwn: boolean]> = [];
      const stop = bus.subscribe((news, isOwn) => {
        if (news.kind === 'event' && news.event.type === 'agent.online')
          heard.push([news.event.agent, isOwn]);
      });
      return { heard, stop };
    };

    it('delivers news to every daemon, with its origin', async () => {
      const [one, other] = (await daemons(2)) as [Bus, Bus];
      const [here, there] = [listening(one), listening(other)];
      one.publish(event('Ann'));
      other.publish(event('Ben'));
      await expect
        .poll(() => here.heard.toSorted())
        .toEqual([
          ['Ann', true],
          ['Ben', false],
        ]);
      await expect
        .poll(() => there.heard.toSorted())
        .toEqual([
          ['Ann', false],
          ['Ben', true],
        ]);
    });

    it("delivers a daemon's own news before it returns", async () => {
      const [bus] = (await daemons(1)) as [Bus];
      const { heard } = listening(bus);
      bus.publish(event('Ann'));
      expect(heard).toEqual([['Ann', true]]);
    });

    it('keeps the order of one daemon', async () => {
      const [one, other] = (await daemons(2)) as [Bus, Bus];
      const { heard } = listening(other);
      const names = Array.from({ length: 200 }, (_, at) => `agent-${at}`);
      for (const agent of names) one.publish(event(agent));
      await expect.poll(() => heard.map(([agent]) => agent)).toEqual(names);
    });

    it('sends nothing after unsubscribing', async () => {
      const [bus] = (await daemons(1)) as [Bus];
      const { heard, stop } = listening(bus);
      stop();
      bus.publish(event('Ann'));
      expect(heard).toEqual([]);
    });
  });
}
