import { safeText } from '@agent-relay/protocol';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { linkOf, openBrowser } from '../dashboard/kit.ts';
import { client } from '../e2e/messaging/commands.ts';
import { hasBrowser } from '../kit/browser.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { hostileMarkdown, markdownBomb, wordsIn } from '../kit/hostile-markdown.ts';
import { CannotRun, type Fault } from './fault.ts';

/** Fewer than what the page shows as a flood. */
const AT_ONCE = 8;
/** For a message as long as one can be, on a busy machine. */
const DRAWN_WITHIN_MS = 10_000;

export const hostilePage: Fault = {
  name: 'hostile-page',
  what: 'messages that try to hide words from the person who reads them on the page, or to stop it',
  async run({ short, seed, say }) {
    if (!hasBrowser) throw new CannotRun('Chromium is missing.');
    const bodies = fc
      .sample(hostileMarkdown(), { numRuns: short ? 200 : 10_000, seed })
      .filter((text) => text.trim() !== '');
    const bombs = fc.sample(markdownBomb(), { numRuns: short ? 16 : 400, seed });
    await using daemon = await startDaemon({ settings: UNGOVERNED });
    await using mallory = await client(daemon, { name: 'Mallory', paths: [] as never });
    await mallory.channels.create('hostile');
    await using browser = await openBrowser();
    await using opened = await browser.open(await linkOf(daemon));
    const { page, errors } = opened;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`http://${daemon.http}/#/demo/channel/hostile`);
    await page.getByRole('log').waitFor();
    const show = async (texts: string[]) => {
      const sent = await Promise.all(texts.map((text) => mallory.send('#hostile', text)));
      for (const [index, { messageId }] of sent.entries())
        checkWords(texts[index] ?? '', await drawnText(page, messageId));
    };
    for (let at = 0; at < bodies.length; at += AT_ONCE) await show(bodies.slice(at, at + AT_ONCE));
    say(`${bodies.length} messages: a person sees every word that an agent reads`);
    let slowest = 0;
    for (const bomb of bombs) {
      const startedAt = performance.now();
      await show([bomb]);
      slowest = Math.max(slowest, performance.now() - startedAt);
    }
    say(`${bombs.length} of 64 KB: the same, the slowest after ${Math.round(slowest)} ms`);
    if (errors.length > 0) throw new Error(errors.join('\n'));
  },
};

/** The texts of a message that take room in the browser, with the numbers beside the items of lists. */
async function drawnText(page: Page, id: string): Promise<string> {
  const body = page.locator(`#message-${id} .body`);
  await body.waitFor({ state: 'attached', timeout: DRAWN_WITHIN_MS });
  return await body.evaluate((element) => {
    const drawn = [...element.querySelectorAll('li')].map(({ value }) => String(value));
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      range.selectNodeContents(text);
      const { width, height } = range.getBoundingClientRect();
      const isVisible = text.parentElement?.checkVisibility({
        opacityProperty: true,
        visibilityProperty: true,
      });
      if (isVisible && width > 0 && height > 0) drawn.push(text.textContent ?? '');
    }
    return drawn.join(' ');
  });
}

function checkWords(text: string, drawn: string): void {
  const seen = new Set(wordsIn(drawn));
  const missing = wordsIn(safeText(text)).filter((word) => !seen.has(word));
  if (missing.length > 0) throw new Error(`hidden: ${JSON.stringify({ missing, text, drawn })}`);
}
