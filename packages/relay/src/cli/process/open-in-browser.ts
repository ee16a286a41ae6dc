import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensurePrivateDirectory, writeAtomically } from '@agent-relay/platform';
import { dataDirectory } from '@agent-relay/sdk/node';

/** A program that stays that long is the browser itself. */
const DEADLINE_MS = 5_000;

/**
 * Opens a link in the user's browser; false if nothing here can. Everybody on the machine sees the arguments of a
 * program: so the browser is given a private file that leads to the link.
 */
export async function openInBrowser(url: string): Promise<boolean> {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return false;
  const file = join(dataDirectory(), 'dashboard.html');
  await ensurePrivateDirectory(dataDirectory());
  await writeAtomically(
    file,
    `<!doctype html><meta charset="utf-8"><title>Agent Relay</title><meta http-equiv="refresh" content="0; url=${url}">\n`,
  );
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  return await new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    deadline.addEventListener('abort', () => {
      child.unref();
      resolve(true);
    });
  });
}
