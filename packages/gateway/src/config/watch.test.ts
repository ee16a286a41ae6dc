import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { watchFiles } from './watch.ts';

it('says so when the system does not let it watch, and goes on', async () => {
  const failures: unknown[] = [];
  const tooLong = join(tmpdir(), 'x'.repeat(300));
  const watch = await watchFiles([tooLong], expect.unreachable, (error) => failures.push(error));
  expect(failures).toEqual([expect.objectContaining({ code: 'ENAMETOOLONG' })]);
  await watch.close();
});
