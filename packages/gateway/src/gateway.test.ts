import { expect, it } from 'vitest';
import { createGateway } from './gateway.ts';

// docs/gateway.md promises these times.
it('by default, retries a lost backend every 5 seconds and waits 2 seconds for those that start', async () => {
  const usual = await createGateway({ configFiles: [] });
  expect(usual.limits.reconnectMs).toBe(5000);
  expect(usual.startupMs).toBe(2000);
  const other = await createGateway({ configFiles: [], startupMs: 0, limits: { reconnectMs: 1 } });
  expect(other.limits).toEqual({ ...usual.limits, reconnectMs: 1 });
  expect(other.startupMs).toBe(0);
  await Promise.all([usual.close(), other.close()]);
});
