// Takes the pictures of the dashboard for the README: npm run screenshots [-- directory]
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startBrowser } from '../kit/browser.ts';
import { openStage, PLACES } from './stage.ts';

const [, , elsewhere] = process.argv;
const target = resolve(elsewhere ?? join(import.meta.dirname, '..', '..', 'docs', 'images'));
/** The phone has what a real one has: touch, no hovering, and a page that is laid out for its width. */
const DEVICES = {
  desk: { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
} as const;
/** The pictures that the documents show; all are made for another directory, to be looked at. */
const SHOWN = ['overview-desk-light', 'channel-desk-dark', 'terminal-desk-dark', 'tools-desk-light'];

await mkdir(target, { recursive: true });
await using stage = await openStage();
const browser = await startBrowser();
for (const [size, device] of Object.entries(DEVICES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      ...device,
      colorScheme,
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const { url } = await stage.owner.request('PAGE_LINK', {});
    await page.goto(url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (const [place, [path]] of Object.entries(PLACES)) {
      if (elsewhere === undefined && !SHOWN.includes(`${place}-${size}-${colorScheme}`)) continue;
      await page.goto(`${stage.url}/#/shop${path}`);
      await page.locator('main .place, main .conversation, main .terminal-place').first().waitFor();
      // Pictures of traffic come a moment later; notices of the start go.
      await page.waitForTimeout(2_500);
      const file = `dashboard-${place}-${size}-${colorScheme}.png`;
      await page.screenshot({ path: join(target, file) });
      process.stdout.write(`${file}\n`);
    }
    await context.close();
  }
}
await browser.close();
