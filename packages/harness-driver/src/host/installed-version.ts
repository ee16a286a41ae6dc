import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Packages have their programs one or two folders below their root. */
const MOST_LEVELS = 4;

/** The version of an installed CLI, read from its installation: `--version` takes longer than starting it. */
export async function installedVersion(file: string): Promise<string | undefined> {
  const place = await realpath(file);
  let directory = dirname(place);
  for (let level = 0; level < MOST_LEVELS; level++, directory = dirname(directory)) {
    const version = await versionIn(join(directory, 'package.json'));
    if (version !== undefined) return version;
  }
  // Native installers keep one folder or file per version.
  return place.split('/').findLast((part) => /^\d+\.\d+\.\d+$/.test(part));
}

/** The version of a package with programs. */
async function versionIn(file: string): Promise<string | undefined> {
  try {
    const { version, bin } = JSON.parse(await readFile(file, 'utf8'));
    return bin === undefined || typeof version !== 'string' ? undefined : version.slice(0, 64);
  } catch {
    // Missing or invalid: try the parent folder.
    return undefined;
  }
}
