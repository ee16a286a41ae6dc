import { personName, type Relay } from '@agent-relay/sdk/node';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { client } from '../e2e/messaging/commands.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { linkOf, type OpenPage, openBrowser, startDaemon, type TestDaemon } from './kit.ts';

/** Chromium without a window shows no notifications; here they are kept, to be clicked. */
type Told = { title: string; body: string; onclick?: () => void };

/** What the browser does when the page asks for permission, or makes one. */
interface Manner {
  permission: 'granted' | 'denied';
  /** As Chrome on Android. */
  throws?: boolean;
}

function keepNotifications({ permission, throws }: Manner): void {
  const told: Told[] = [];
  class Kept {
    onclick?: () => void;
    readonly title: string;
    readonly body: string;
    static requestPermission = async () => permission;
    constructor(title: string, { body = '' }: { body?: string } = {}) {
      if (throws) throw new TypeError('Illegal constructor');
      this.title = title;
      this.body = body;
      told.push(this);
    }
    close() {
      return undefined;
    }
  }
  Object.assign(window, { told, Notification: Kept });
  document.hasFocus = () => false;
}

describe.skipIf(!hasBrowser)(`notifications, in Chromium${NEEDS_BROWSER}`, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;
  let page: Page;
  let bob: Relay;
  const me = personName();
  const wish = () => page.getByRole('checkbox', { name: /Notify me/ });
  const titles = () =>
    page.evaluate(() => (window as unknown as { told: Told[] }).told.map(({ title }) => title));
  const bodies = () =>
    page.evaluate(() => (window as unknown as { told: Told[] }).told.map(({ body }) => body));
  const click = (wanted: string) =>
    page.evaluate((title) => {
      const { told } = window as unknown as { told: Told[] };
      told.findLast((one) => one.title === title)?.onclick?.();
    }, wanted);
  const openSettings = async (manner: Manner) => {
    opened = await browser.open(await linkOf(daemon));
    page = opened.page;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`http://${daemon.http}/#/demo/settings`);
    await page.evaluate(keepNotifications, manner);
  };

  beforeAll(async () => {
    const shell = { command: ['bash', '--norc', '--noprofile'], screen: { composer: '^never' } };
    daemon = await startDaemon({ settings: { clis: { shell } } });
    browser = await openBrowser();
  });
  beforeEach(async () => {
    bob = await client(daemon, { name: 'Bob', paths: [] });
  });
  afterEach(async () => {
    await bob.close();
    expect(opened.errors).toEqual([]);
    await opened[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    await daemon?.cli(['release', '--all']);
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  it('tell of a question while the page is hidden, and lead to it', async () => {
    await openSettings({ permission: 'granted' });
    await wish().check();
    const { messageId } = await bob.send(me, 'Which one?', { kind: 'question' });
    await expect.poll(titles).toEqual(['Notifications are on', 'Bob asks']);
    await click('Bob asks');
    await page.getByRole('article').filter({ hasText: 'Which one?' }).waitFor();
    expect(page.url()).toContain(messageId);
    await wish().waitFor({ state: 'detached' });
  });

  it('tell of a dialog once, however often it is reported, and of the next one', async () => {
    await openSettings({ permission: 'granted' });
    await wish().check();
    await using fred = await client(daemon, { name: 'Fred', cli: 'codex', paths: ['native'] });
    await fred.paths.waits('native', { code: 'approval_dialog' });
    await expect.poll(titles).toEqual(['Notifications are on', 'Fred waits for you']);
    await click('Fred waits for you');
    // It has no terminal here.
    await page.getByRole('heading', { name: 'Fred' }).waitFor();
    await fred.paths.waits('native', { code: 'approval_dialog' });
    // The page looks at all agents again.
    await using _ivy = await client(daemon, { name: 'Ivy' });
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Ivy' }).waitFor();
    await fred.paths.ready('native');
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await page
      .getByRole('region', { name: /Waiting/ })
      .getByText('Fred')
      .waitFor({ state: 'detached' });
    await fred.paths.waits('native', { code: 'usage_limit' });
    await expect.poll(async () => (await bodies()).at(-1)).toBe('usage limit reached');
    expect(await bodies()).toEqual([expect.any(String), 'approval dialog open', 'usage limit reached']);
  });

  it('lead to the terminal of an agent that waits there, and to the buttons for a call', async () => {
    await openSettings({ permission: 'granted' });
    await wish().check();
    // Nobody knows its screen, so it waits for the person.
    expect((await daemon.cli(['spawn', 'Shell', 'shell', '--wait', '2s'])).code).toBe(0);
    await expect.poll(titles).toContain('Shell waits for you');
    await click('Shell waits for you');
    await page.locator('.xterm-rows').waitFor();
    expect(page.url()).toMatch(/\/terminal\/Shell$/);
    await bob.exposeTool({
      name: 'wipe',
      description: 'Wipes',
      input: z.object({}),
      consent: true,
      handler: () => ({}),
    });
    for (let count = 0; count < 6; count++) await bob.send(me, `Question ${count}?`, { kind: 'question' });
    await using gina = await client(daemon, { name: 'Gina' });
    const denied = expect(gina.call('Bob.wipe', {})).rejects.toMatchObject({ code: 'Denied' });
    await expect.poll(titles).toContain('A call needs your consent');
    await click('A call needs your consent');
    // Shown in full, though more waits than there is room for.
    await page.getByRole('button', { name: 'Deny the call' }).click();
    await denied;
  });

  it('say so where the browser refuses them, at once or when one is made', async () => {
    await openSettings({ permission: 'denied' });
    await wish().click();
    await page.getByText('The browser blocks notifications from this page.').waitFor();
    expect(await wish().isChecked()).toBe(false);
    await opened[Symbol.asyncDispose]();

    await openSettings({ permission: 'granted', throws: true });
    await wish().click();
    await page.getByText('This browser does not support notifications from pages.').waitFor();
    expect(await wish().isChecked()).toBe(false);
    await bob.send(me, 'Anybody there?', { kind: 'question' });
    await expect.poll(() => page.title()).toMatch(/^\(\d+\)/);
    expect(await titles()).toEqual([]);
  });

  it('say so when they stop working later', async () => {
    await openSettings({ permission: 'granted' });
    await wish().check();
    const manner: Manner = { permission: 'granted', throws: true };
    await page.evaluate(keepNotifications, manner);
    await bob.send(me, 'Still there?', { kind: 'question' });
    await page.getByText('This browser does not support notifications from pages.').waitFor();
    expect(await wish().isChecked()).toBe(false);
  });
});
