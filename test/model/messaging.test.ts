import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openCore, type TestCore } from '../kit/core.ts';
import { type PostgresServer, startPostgres } from '../kit/postgres.ts';
import { checkEverything } from './check.ts';
import { type Step, step } from './steps.ts';
import { World } from './world.ts';

/** A new one each time; `MODEL_SEED` repeats a run. */
const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
const RUN_MS = Number(process.env.MODEL_MS ?? 8_000);

/** Long games of all kinds: what goes wrong does so where several things meet. */
const STEPS = fc.noBias(fc.array(step, { minLength: 1, maxLength: 80, size: 'max' }));

/** The loop governor is off: messages here have little content. */
const SILENT_GOVERNOR = { enabled: false, emptyTurns: 1, maxTurns: 1, windowMs: 1 };

async function play(core: TestCore, steps: Step[]): Promise<void> {
  const world = await World.open(core);
  for (const one of steps) await world.take(one);
  await checkEverything(world);
}

/** Runs games until the time is over; a failure is reported with its seed, shrunk as far as possible. */
async function anyInterleaving(core: TestCore): Promise<void> {
  const startedAt = performance.now();
  const hasPassed = (ms: number) => performance.now() - startedAt > ms;
  const game = fc.asyncProperty(STEPS, async (steps) => {
    // A small counterexample is worth some time, not all of it.
    if (!hasPassed(4 * RUN_MS)) await play(core, steps);
  });
  for (let seed = SEED; !hasPassed(RUN_MS); seed++) await fc.assert(game, { seed, numRuns: 1 });
}

describe(`any interleaving of messaging is as the model says (seed ${SEED})`, () => {
  describe('on SQLite', () => {
    let core: TestCore;
    beforeAll(async () => {
      core = await openCore({ governor: SILENT_GOVERNOR });
    });
    afterAll(() => core[Symbol.asyncDispose]());
    it(
      'inboxes, counts, history, threads, search, reactions; and nothing leaks',
      () => anyInterleaving(core),
      6 * RUN_MS,
    );
  });

  describe('on PostgreSQL', () => {
    let server: PostgresServer;
    let core: TestCore;
    beforeAll(async () => {
      server = await startPostgres();
      core = await openCore({ governor: SILENT_GOVERNOR, database: await server.createDatabase('model') });
    });
    afterAll(async () => {
      await core[Symbol.asyncDispose]();
      await server.stop();
    });
    it(
      'inboxes, counts, history, threads, search, reactions; and nothing leaks',
      () => anyInterleaving(core),
      6 * RUN_MS,
    );
  });
});
