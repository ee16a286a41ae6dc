import { expect, it } from 'vitest';
import { customBackend } from '../config/custom-backend.ts';
import { Backend } from './backend.ts';
import { USUAL_LIMITS } from './limits.ts';

/** A backend that can never be reached. `attempts` resolves after so many attempts. */
function unreachable(reasonOf: (attempt: number) => string) {
  let attempt = 0;
  const changes: Array<string | undefined> = [];
  let wanted: { count: number; reached(): void } | undefined;
  const { config } = customBackend('away', () => Promise.reject(new Error(reasonOf(++attempt))));
  const backend = new Backend(
    config,
    { ...USUAL_LIMITS, reconnectMs: 1 },
    {
      changed: ({ problem }) => changes.push(problem),
      notConnected: () => {
        if (wanted && attempt >= wanted.count) wanted.reached();
      },
      resourceUpdated: () => expect.unreachable(),
      log: () => expect.unreachable(),
      tooLoud: () => expect.unreachable(),
      ask: () => Promise.reject(new Error('nobody to ask')),
    },
  );
  const attempts = (count: number) =>
    new Promise<void>((reached) => {
      wanted = { count, reached };
    });
  return { backend, changes, attempts };
}

it('is connecting during the first attempt, and failed after it', async () => {
  const { backend, attempts } = unreachable(() => 'refused');
  expect(backend.health).toBe('unknown');
  const tried = attempts(1);
  void backend.start();
  expect(backend.health).toBe('connecting');
  await tried;
  const again = attempts(3);
  expect(backend).toMatchObject({ health: 'failed', problem: 'refused', connected: false });
  await again;
  expect(backend.health).toBe('failed');
  await backend.stop(true);
});

it('reports a failure once, and again only for a new reason', async () => {
  const { backend, changes, attempts } = unreachable((attempt) => (attempt < 5 ? 'refused' : 'timed out'));
  const tried = attempts(8);
  void backend.start();
  await tried;
  expect(changes).toEqual(['refused', 'timed out']);
  await backend.stop(true);
});

it('fails a call with the reason of one attempt', async () => {
  const { backend } = unreachable((attempt) => `refused ${attempt}`);
  const call = backend.call('tools/call', new Map(), { repeatable: true, clientCapabilities: {} });
  await expect(call).rejects.toThrow('refused 1');
  await backend.stop(true);
});
