import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { watchFiles } from './watch.ts';

it('reports that the system refuses to watch, and continues', async () => {
  const failures: unknown[] = [];
  const tooLong = join(tmpdir(), 'x'.repeat(300));
  const watch = await watchFiles([tooLong], expect.unreachable, (error) => failures.push(error));
  expect(failures).toEqual([expect.objectContaining({ code: 'ENAMETOOLONG' })]);
  await watch.close();
});
