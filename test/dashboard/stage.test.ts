import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { type OpenPage, openBrowser, seriousFindings } from './kit.ts';
import { openStage, PLACES, type Stage } from './stage.ts';

describe.skipIf(!hasBrowser)(`a team at work, as in the pictures, in Chromium${NEEDS_BROWSER}`, () => {
  let stage: Stage;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;

  beforeAll(async () => {
    stage = await openStage();
    browser = await openBrowser();
    const { url } = await stage.owner.request('PAGE_LINK', {});
    opened = await browser.open(url);
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await stage?.[Symbol.asyncDispose]();
  });

  it.each(Object.entries(PLACES))('fits and is accessible: %s', async (_name, [path, text]) => {
    const { page } = opened;
    await page.goto(`${stage.url}/#/shop${path}`);
    await page.getByRole('main').getByText(text).first().waitFor();
    // Both themes are looked at on the phone.
    expect(await seriousFindings(page)).toEqual([]);
    const isWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
    expect(await page.evaluate(isWide)).toBe(false);
  });

  it('has four things that wait for the person, of each kind one', async () => {
    const { page } = opened;
    await page.goto(`${stage.url}/#/shop`);
    const waiting = page.getByRole('region', { name: /Waiting for you/ });
    await waiting.getByText('The old payment call').waitFor();
    await waiting.getByText('approval dialog open').waitFor();
    await waiting.getByText('usage limit reached').waitFor();
    await waiting.getByText('Messages between Backend and Reviewer are held').waitFor();
  });

  it('logged nothing to the console', () => {
    expect(opened.errors).toEqual([]);
  });
});
