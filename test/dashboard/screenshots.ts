// Takes the pictures of the dashboard for the README: node test/dashboard/screenshots.ts [directory]
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startBrowser } from '../kit/browser.ts';
import { openStage } from './stage.ts';

const [, , elsewhere] = process.argv;
const target = resolve(elsewhere ?? join(import.meta.dirname, '..', '..', 'docs', 'images'));
const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
/** Where to go for each picture. */
const PLACES = {
  overview: '',
  channel: '/channel/release',
  direct: '/between/Backend,Tests',
  agent: '/agent/Backend',
  tools: '/tools/Reviewer.review',
  invocations: '/invocations',
  servers: '/servers',
  search: '/search/checkout',
  settings: '/settings',
} as const;
/** The pictures that the documents show; all are made for another directory, to be looked at. */
const SHOWN = ['overview-desk-light', 'channel-desk-dark', 'tools-desk-light'];

await mkdir(target, { recursive: true });
await using stage = await openStage();
const browser = await startBrowser();
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      viewport,
      colorScheme,
      locale: 'en-GB',
      deviceScaleFactor: size === 'phone' ? 2 : 1,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const { url } = await stage.owner.request('PAGE_LINK', {});
    await page.goto(url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (const [place, path] of Object.entries(PLACES)) {
      if (elsewhere === undefined && !SHOWN.includes(`${place}-${size}-${colorScheme}`)) continue;
      await page.goto(`${stage.url}/#/shop${path}`);
      await page.locator('main .place, main .conversation').first().waitFor();
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
