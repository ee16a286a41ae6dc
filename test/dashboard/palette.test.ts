import { personName, type Relay } from '@agent-relay/sdk/node';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../e2e/messaging/commands.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { linkOf, type OpenPage, openBrowser, seriousFindings, startDaemon, type TestDaemon } from './kit.ts';

describe.skipIf(!hasBrowser)(`keys and the palette, in Chromium${NEEDS_BROWSER}`, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;
  let page: Page;
  let alice: Relay;
  const palette = () => page.getByRole('dialog', { name: 'Command palette' });
  const field = () => palette().getByRole('combobox', { name: 'Command palette' });

  beforeAll(async () => {
    daemon = await startDaemon();
    alice = await client(daemon, { name: 'Alice', task: 'Fix <img src=x onerror="window.hacked=1">' });
    await alice.channels.create('release');
    browser = await openBrowser();
    opened = await browser.open(await linkOf(daemon));
    page = opened.page;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    await alice?.close();
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  it('goes to agents, channels, tools and messages', async () => {
    await page.keyboard.press('Control+k');
    // At once, as a person does who knows the way.
    await page.keyboard.type('ali');
    await palette()
      .getByRole('option', { name: /^Alice/ })
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Alice' }).waitFor();
    await page.keyboard.press('Control+k');
    await field().fill('release');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '#release', exact: true }).waitFor();
    const { messageId } = await alice.send('#release', 'A sentence about pelicans.');
    await expect.poll(async () => (await alice.search('pelicans')).length).toBe(1);
    await page.keyboard.press('Control+k');
    await field().fill('pelicans');
    await palette()
      .getByRole('option', { name: /A sentence about pelicans/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(messageId);
  });

  it('does things: starts an agent, changes the colours', async () => {
    await page.keyboard.press('Control+k');
    await field().fill('start an');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Start an agent' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await field().fill('dark');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await palette().waitFor({ state: 'detached' });
  });

  it('has keys for places, which are plain text in inputs', async () => {
    await expect
      .poll(async () => {
        await page.keyboard.press('g');
        await page.keyboard.press('t');
        return page.url();
      })
      .toContain('/tools');
    await page.getByRole('heading', { name: 'Tools', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Search messages' }).fill('g');
    await page.keyboard.type('o?');
    expect(await page.getByRole('searchbox', { name: 'Search messages' }).inputValue()).toBe('go?');
    await page.getByRole('heading', { name: 'Search' }).click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to overview').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  const focused = () => page.locator(':focus');
  const goTo = (path: string) => page.goto(`http://${daemon.http}/#/demo${path}`);

  it('goes through what waits and through the agents with j and k', async () => {
    await using _bob = await client(daemon, { name: 'Bob' });
    const answer = alice.sendAndWait(personName(), 'Which port?', { kind: 'question' });
    await goTo('');
    await page.getByRole('row', { name: /Bob/ }).waitFor();
    await page.getByRole('textbox', { name: 'Answer Alice' }).waitFor();
    await page.keyboard.press('j');
    expect(await focused().textContent()).toContain('Which port?');
    await page.keyboard.press('Enter');
    expect(await focused().getAttribute('aria-label')).toBe('Answer Alice');
    await page.keyboard.type('j');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    expect(await focused().textContent()).toMatch(/^AL.*Alice/);
    await page.keyboard.press('j');
    expect(await focused().textContent()).toMatch(/^BO.*Bob/);
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.keyboard.type('ust 3888');
    await page.keyboard.press('Enter');
    expect(await answer).toMatchObject({ content: 'just 3888' });
    await page.getByText('Nothing waits for you.').waitFor();
    await page.getByRole('heading', { name: 'Overview' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Bob' }).waitFor();
  });

  it('goes through messages with j and k, and opens their thread', async () => {
    for (const text of ['First of three.', 'Second of three.', 'Third of three.'])
      await alice.send('#release', text);
    await goTo('/channel/release');
    await page.getByText('Third of three.').waitFor();
    await page.keyboard.press('k');
    expect(await focused().textContent()).toContain('Third of three.');
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    expect(await focused().textContent()).toContain('Second of three.');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Thread' }).getByText('Second of three.').waitFor();
  });

  it('replies to a message and reacts to it by key', async () => {
    await page.getByRole('button', { name: 'Close' }).click();
    const { messageId } = await alice.send('#release', 'Ready to merge?');
    await page.getByText('Ready to merge?').waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('e');
    expect(await focused().getAttribute('aria-label')).toBe('React with 👍');
    await page.keyboard.press('ArrowRight');
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('article').getByRole('button', { name: '✅ 1' }).waitFor();
    expect(await focused().textContent()).toContain('Ready to merge?');
    await page.keyboard.press('e');
    await page.keyboard.press('Escape');
    expect(await focused().textContent()).toContain('Ready to merge?');
    // Only members can write in a channel.
    await page.keyboard.press('r');
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByRole('button', { name: 'Join #release' }).click();
    await thread.getByRole('textbox', { name: 'Reply in the thread' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('k');
    await page.keyboard.press('r');
    expect(await focused().getAttribute('aria-label')).toBe('Reply in the thread');
    await page.keyboard.type('Go ahead, reviewer.');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await alice.thread(messageId)).messages.map(({ content }) => content))
      .toEqual(['Ready to merge?', 'Go ahead, reviewer.']);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('React to the message').waitFor();
    await help.getByText('Reply to the message').waitFor();
    await page.keyboard.press('Escape');
  });

  it('opens the menu of a row, by key and by mouse', async () => {
    await goTo('');
    await page.getByRole('row', { name: /Alice/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('.');
    const menu = page.getByRole('menu', { name: 'Actions for Alice' });
    await menu.waitFor();
    expect(await focused().textContent()).toContain('Open agent');
    // Keys of the page do nothing meanwhile.
    await page.keyboard.press('j');
    expect(await focused().textContent()).toContain('Open agent');
    await page.keyboard.press('ArrowDown');
    expect(await focused().textContent()).toContain('Message');
    await page.keyboard.press('ArrowDown');
    expect(await focused().textContent()).toContain('Open agent');
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(await focused().textContent()).toMatch(/^AL.*Alice/);
    const opener = page.getByRole('button', { name: 'Actions for Alice' });
    await opener.click();
    await menu.waitFor();
    await opener.click();
    await menu.waitFor({ state: 'detached' });
    await opener.click();
    await menu.getByRole('menuitem', { name: 'Message' }).click();
    await page.getByRole('textbox', { name: 'Message Alice' }).waitFor();
    await menu.waitFor({ state: 'detached' });
  });

  it('reaches every part of the page by Tab, and shows where it is', async () => {
    await page.goto(`http://${daemon.http}/#/demo`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const reached = new Set<string>();
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press('Tab');
      const { name, isVisible } = await page.evaluate(() => {
        const at = document.activeElement as HTMLElement;
        const probe = document.createElement('i');
        probe.style.color = 'var(--accent)';
        document.body.append(probe);
        const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(at);
        const accent = getComputedStyle(probe).color;
        probe.remove();
        return {
          name: (at.getAttribute('aria-label') ?? at.textContent ?? '').trim().slice(0, 40),
          isVisible:
            at === document.body ||
            (outlineStyle === 'solid' && Number.parseFloat(outlineWidth) >= 2 && outlineColor === accent),
        };
      });
      expect(isVisible, name).toBe(true);
      reached.add(name);
    }
    for (const wanted of [
      'Skip to content',
      'Overview',
      'Tools',
      'Settings',
      'Start an agent',
      'New channel',
    ])
      expect(
        [...reached].some((name) => name.startsWith(wanted)),
        wanted,
      ).toBe(true);
  });

  it('logged nothing to the console, and ran nothing', async () => {
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    expect(opened.errors).toEqual([]);
  });
});
