import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const PACKAGES = join(ROOT, 'packages');
/** What the build writes last. */
const BUILT = join(PACKAGES, 'relay', 'dist', 'page', 'index.html');

/**
 * Builds the programs and the dashboard if a source is newer. The dashboard always runs from its build, so its tests
 * would test an old one, and programs that run from their sources take twice the time to start.
 */
export default function buildIfStale(): void {
  if (isStale()) execFileSync(process.execPath, [join(ROOT, 'build', 'bundle.js')], { stdio: 'inherit' });
}

function isStale(): boolean {
  const built = statSync(BUILT, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources().some((path) => statSync(path).mtimeMs > built);
}

const sources = (): string[] => [
  join(ROOT, 'build', 'bundle.js'),
  join(PACKAGES, 'dashboard', 'index.html'),
  ...globSync('*/src/**/*.*', { cwd: PACKAGES })
    .filter((name) => !/\.test\.tsx?$/.test(name))
    .map((name) => join(PACKAGES, name)),
];
