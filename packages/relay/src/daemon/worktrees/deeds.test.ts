import fc from 'fast-check';
import { expect, it } from 'vitest';
import { releaseAfter, someDeeds } from '../../../../../test/kit/worker-release.ts';

it('loses nothing, whatever a worker does', async () => {
  await fc.assert(
    fc.asyncProperty(someDeeds(5), async (deeds) => {
      await releaseAfter(deeds);
    }),
    // Each run starts a hundred programs; `npm run test:faults` has a thousand runs.
    { numRuns: 6, interruptAfterTimeLimit: 30_000 },
  );
});

it('removes the worktree of a worker whose work was merged', async () => {
  expect(
    await releaseAfter([
      ['commits', 1],
      ['makes ignored files', 2],
      ['is merged', 3],
    ]),
  ).toEqual({
    commits: 0,
    ignored: { files: 2, names: ['build/', 'src/trace-10.log'] },
  });
});
