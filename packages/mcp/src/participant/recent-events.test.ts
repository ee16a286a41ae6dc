import { expect, it } from 'vitest';
import { RecentEvents } from './recent-events.ts';

const read = (messageId: string) => ({ type: 'delivery.read', messageId, agent: 'Bob' }) as const;
const started = { type: 'session.started', agent: 'Worker' } as const;

it('keeps the latest of each kind, even if there are many of another kind', () => {
  const recent = new RecentEvents();
  recent.add('session', started);
  for (let n = 0; n < 1000; n++) recent.add('delivery', read(`msg_${n}`));
  const { events, dropped } = recent.list();
  expect(events).toHaveLength(51);
  expect(dropped).toBe(950);
  expect(events[0]).toMatchObject({ seq: 1, type: 'session.started' });
  expect(events.at(-1)).toMatchObject({ seq: 1001, messageId: 'msg_999' });
});

it('has a size limit, whatever the events contain', () => {
  const recent = new RecentEvents();
  const large = 'x'.repeat(60_000);
  const caller = { type: 'agent', id: '1', name: 'Alice' } as const;
  for (let n = 0; n < 100; n++)
    recent.add('action', {
      type: 'action.completed',
      invocation: {
        invocationId: `inv_${n}`,
        actionName: 'act',
        status: 'completed',
        owner: 'Bob',
        caller,
        input: { large },
        invokedAt: 1,
        result: large,
      },
    });
  const { events } = recent.list();
  expect(JSON.stringify(events).length).toBeLessThan(17 * 1024);
  expect(events.at(-1)).toMatchObject({
    invocation: { invocationId: 'inv_99', result: 'x'.repeat(1000), cut: true },
  });
});
