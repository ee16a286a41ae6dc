import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

// It compiles what they import as well.
it('the programs in docs/actions.md compile', { timeout: 180_000 }, async () => {
  const text = await readFile(join(ROOT, 'docs', 'actions.md'), 'utf8');
  const snippets = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  expect(snippets.length).toBeGreaterThan(2);
  const directory = await mkdtemp(join(tmpdir(), 'snippets-'));
  try {
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    const { compilerOptions } = JSON.parse(await readFile(join(ROOT, 'tsconfig.json'), 'utf8'));
    const options = { ...compilerOptions, noUnusedLocals: false };
    await writeFile(join(directory, 'package.json'), '{"type":"module"}');
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
    for (const [at, code] of snippets.entries())
      await writeFile(join(directory, `snippet${at}.ts`), `${code}\nexport {};\n`);
    const compiler = join(ROOT, 'node_modules', '.bin', 'tsc');
    const { stdout } = await promisify(execFile)(compiler, ['-p', directory]).catch((error) => error);
    expect(stdout).toBe('');
  } finally {
    await rm(directory, { recursive: true });
  }
});
