import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../kit/browser.ts';
import { startDaemon, type TestDaemon } from '../kit/daemon.ts';

export interface OpenPage extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** What went wrong in the page. */
  errors: string[];
}

/** One browser for a suite; each page is opened in a profile of its own, as if in a browser of its own. */
export async function openBrowser() {
  const browser: Browser = await startBrowser();
  return {
    async open(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<OpenPage> {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(url);
      return { page, context, errors, [Symbol.asyncDispose]: () => context.close() };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** The link that `agent-relay dashboard --no-open` prints. */
export async function linkOf(daemon: TestDaemon): Promise<string> {
  const { code, stdout, stderr } = await daemon.cli(['dashboard', '--no-open']);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** What a screen reader or a keyboard would stumble over. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: Array<{ id: string; impact: string; nodes: Array<{ html: string }> }>;
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

export { startDaemon, type TestDaemon };
