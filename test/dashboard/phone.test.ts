import { personName, type Relay } from '@agent-relay/sdk/node';
import { devices, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { client } from '../e2e/messaging/commands.ts';
import { scripted, tool } from '../gateway/kit/gateway-kit.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { startDaemonWithServers } from '../kit/daemon-with-servers.ts';
import { linkOf, type OpenPage, openBrowser, seriousFindings, type TestDaemon } from './kit.ts';

/** As wide as an iPhone, with touch, without hovering, and with the phone's own layout of pages. */
const { viewport: _usual, ...touch } = devices['iPhone 13'] ?? {};
const WIDTH = 390;
const PHONE = { ...touch, viewport: { width: WIDTH, height: 844 } };
const LONG = 'a-rather-long-name-that-no-phone-has-room-for';

describe.skipIf(!hasBrowser)(`a phone, in Chromium${NEEDS_BROWSER}`, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;
  let page: Page;
  const clients: Relay[] = [];
  const me = personName();
  const join = async (name: string, options: Parameters<typeof client>[1] = {}) => {
    const relay = await client(daemon, { name, paths: [], ...options });
    clients.push(relay);
    return relay;
  };
  const at = async (path: string) => {
    await page.goto(`http://${daemon.http}/#/demo${path}`);
    await page.locator('main .place, main .conversation, main .terminal-place').first().waitFor();
  };
  const tab = (name: RegExp) =>
    page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name });

  beforeAll(async () => {
    const shell = { command: ['bash', '--norc', '--noprofile'], screen: { composer: '^never' } };
    daemon = await startDaemonWithServers([scripted('near', { tools: [tool('echo')] })], {
      settings: { clis: { shell } },
    });
    browser = await openBrowser();
    opened = await browser.open(await linkOf(daemon), PHONE);
    page = opened.page;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const owner = await client(daemon);
    clients.push(owner);
    await owner.request('WORKSPACE_CREATE', { name: 'other' });
    const bob = await join('Bob', { cli: 'claude', task: `Fix ${LONG}`, parent: LONG });
    await bob.channels.create(LONG);
    await bob.exposeTool({
      name: 'count',
      description: 'Counts',
      input: z.object({ upTo: z.number(), style: z.enum(['fast', 'slow']).optional() }),
      consent: true,
      handler: () => ({}),
    });
    const alice = await join('Alice');
    for (let number = 0; number < 3; number++) await alice.send('Bob', `Message ${number} about \`code\``);
    await alice.send(me, `\`\`\`\n${'wide '.repeat(40)}\n\`\`\``);
    await alice.send(me, `Which one of these: ${LONG}?`, { kind: 'question' });
    await bob.registerAction({
      name: 'notes.cut',
      description: 'Cuts',
      input: z.object({}),
      handler: () => ({}),
    });
    await alice.invoke('notes.cut', {}, { wait: true });
    expect((await daemon.cli(['spawn', 'Shell', 'shell', '--wait', '2s'])).code).toBe(0);
  });
  afterAll(async () => {
    await daemon?.cli(['release', '--all']);
    for (const relay of clients) await relay.close();
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  it('shows unread messages: of the person, and of each agent', async () => {
    await at('');
    await tab(/^Messages 2 unread/).waitFor();
    const row = page.getByRole('row').filter({ has: page.getByText('Bob', { exact: true }) });
    expect(await row.getByText('3 unread').isVisible()).toBe(true);
  });

  it.each([
    ['overview', '', 'Who talks to whom'],
    ['agent', '/agent/Bob', 'Recent messages'],
    ['messages', '/messages', 'Between agents'],
    ['all messages', '/activity', 'wide wide'],
    ['channel', `/channel/${LONG}`, 'No messages in'],
    ['direct messages', '/direct/Alice', 'wide wide'],
    ['tools', '/tools', 'Counts'],
    ['tool', '/tools/Bob.count', 'upTo'],
    ['invocations', '/invocations', 'notes.cut'],
    ['servers', '/servers', 'Healthy'],
    ['terminals', '/terminal', 'Release all'],
    ['terminal', '/terminal/Shell', 'Type here'],
    ['search', '/search/about', 'found'],
    ['settings', '/settings', 'This browser'],
  ])('fits and is accessible: %s', async (_name, path, text) => {
    await at(path);
    await page.getByRole('main').getByText(text).first().waitFor();
    const { width, small } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      // Phones zoom in on them, and the page is too wide from then on.
      small: [...document.querySelectorAll('input, textarea, select')]
        .filter((field) => Number.parseFloat(getComputedStyle(field).fontSize) < 16)
        .map((field) => field.outerHTML),
    }));
    expect(width).toBeLessThanOrEqual(WIDTH);
    expect(small).toEqual([]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }
  });

  it('reaches terminals with one tap, and all can be released there', async () => {
    await tab(/^Terminals/).tap();
    await page.getByRole('main').getByRole('link', { name: /Shell/ }).waitFor();
    await page.getByRole('button', { name: 'Release all' }).tap();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).tap();
    await page.getByRole('main').getByRole('link', { name: /Shell/ }).tap();
    await page.locator('.xterm-rows').waitFor();
    await at('/terminal');
    await page.getByRole('button', { name: 'Actions for Shell' }).tap();
    const menu = page.getByRole('menu', { name: 'Actions for Shell' });
    expect(await seriousFindings(page)).toEqual([]);
    await menu.getByRole('menuitem', { name: 'Release' }).tap();
    await menu.getByRole('menuitem', { name: 'End its program?' }).tap();
    await page.getByText('Released Shell.').waitFor();
    await page.getByText('No agent runs in a terminal of the relay').waitFor();
  });

  it('has the actions of a message in its menu', async () => {
    await at('/between/Alice,Bob');
    const row = page.getByRole('article').filter({ hasText: 'Message 1' });
    await row.getByRole('button', { name: 'Actions for Alice’s message' }).tap();
    const menu = page.getByRole('menu', { name: 'Actions for Alice’s message' });
    expect(await seriousFindings(page)).toEqual([]);
    await menu.getByRole('menuitem', { name: 'React with 🎉' }).tap();
    await row.getByRole('button', { name: `🎉 1 by ${me}` }).waitFor();
    await row.getByRole('button', { name: 'Actions for Alice’s message' }).tap();
    await menu.getByRole('menuitem', { name: 'Delivery' }).tap();
    await page.getByRole('complementary', { name: 'Delivery' }).getByText('Bob').waitFor();
  });

  it('finds anything by the palette, and settings beside it', async () => {
    await at('');
    await page.getByRole('button', { name: 'Go to…' }).tap();
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('combobox').fill('bob');
    expect(await seriousFindings(page)).toEqual([]);
    await palette.getByRole('option', { name: /^Bob Fix/ }).tap();
    await page.getByRole('heading', { name: 'Bob' }).waitFor();
    await page.getByRole('banner').getByRole('link', { name: 'Settings' }).tap();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  it('answers what waits', async () => {
    await at('');
    const answer = page.getByRole('textbox', { name: 'Answer Alice' });
    await answer.tap();
    await answer.fill('The first.');
    await page.getByRole('button', { name: 'Answer', exact: true }).tap();
    await page.getByText('Answered Alice.').waitFor();
    const alice = clients.find(({ name }) => name === 'Alice') as Relay;
    const denied = expect(alice.call('Bob.count', { upTo: 3 })).rejects.toMatchObject({ code: 'Denied' });
    await page.getByRole('button', { name: 'Deny the call' }).tap();
    await denied;
  });

  it('switches between projects', async () => {
    await at('');
    await page.getByRole('banner').getByRole('combobox', { name: 'Project' }).selectOption('other');
    await expect.poll(() => page.url()).toMatch(/#\/other$/);
    await page.getByRole('heading', { name: 'Connect your first agent' }).waitFor();
  });

  it('logged nothing to the console', () => {
    expect(opened.errors).toEqual([]);
  });
});
