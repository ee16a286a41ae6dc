import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const DOWNLOAD_MS = 600_000;

const cacheDirectory = (): string =>
  process.env.RELAY_AGENTS_CACHE || join(homedir(), '.cache', 'agent-relay', 'agents');

/**
 * The commands of one version of an npm package, installed on first use and kept outside the repository. Rejects with
 * a sentence that says why npm could not.
 */
export async function commandsOf(name: string, version: string): Promise<string> {
  const place = join(cacheDirectory(), `${name.replace('/', '+')}@${version}`);
  const commands = join(place, 'node_modules', '.bin');
  if (existsSync(commands)) return commands;
  await mkdir(cacheDirectory(), { recursive: true });
  // Moved into place only when complete, so that an interrupted download never counts as installed.
  const draft = await mkdtemp(`${place}.`);
  try {
    await writeFile(join(draft, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--prefix', draft, '--no-audit', '--no-fund', `${name}@${version}`], {
      cwd: draft,
      timeout: DOWNLOAD_MS,
    });
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const { stderr = '', message } = error as Error & { stderr?: string };
    const cause = stderr.split('\n').find((line) => line.startsWith('npm error')) ?? message;
    throw new Error(`npm cannot install ${name}@${version}: ${cause.replace(/^npm error /, '')}`);
  }
  return commands;
}
