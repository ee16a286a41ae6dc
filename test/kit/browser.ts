import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium; elsewhere, say where yours is. */
const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium';

export const hasBrowser = existsSync(PROGRAM);

/** For the name of a suite that is skipped. */
export const NEEDS_BROWSER = hasBrowser ? '' : ' (needs Chromium: apt-get install chromium, or set CHROMIUM)';

/** A real Chromium without a window, which talks to nobody but the pages it is told to open. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: PROGRAM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
