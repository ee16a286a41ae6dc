import { personName, type Relay } from '@agent-relay/sdk/node';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../e2e/messaging/commands.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { linkOf, type OpenPage, openBrowser, seriousFindings, startDaemon, type TestDaemon } from './kit.ts';

/** What would run, load or leave the page if a message were taken for a part of it. */
const ATTACKS = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked=1">',
  '<svg onload="window.hacked=1"><animate onbegin="window.hacked=1" attributeName=x dur=1s>',
  '[click](javascript:window.hacked=1)',
  '![picture](http://evil.example/pixel.png)',
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '<a href="data:text/html,<script>1</script>">data</a>',
  '<form action="http://evil.example"><input name=password></form>',
  '<style>body{display:none}</style><p style="position:fixed;inset:0">over everything</p>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.hacked=1&gt;">',
  '`<img src=x onerror=window.hacked=1>` and ```html\n<script>window.hacked=1</script>\n```',
];

describe.skipIf(!hasBrowser)(`conversations, in Chromium${NEEDS_BROWSER}`, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;
  let page: Page;
  let alice: Relay;
  let bob: Relay;
  const me = personName();
  const at = (path: string) => page.goto(`http://${daemon.http}/#/demo${path}`);
  const messages = () => page.getByRole('log', { name: 'Messages', exact: true });
  const composer = (label: string) => page.getByRole('textbox', { name: label });

  beforeAll(async () => {
    daemon = await startDaemon();
    alice = await client(daemon, { name: 'Alice', paths: [] as never });
    bob = await client(daemon, { name: 'Bob', paths: [] as never });
    await alice.channels.create('release', { topic: `Release 7 ${ATTACKS[1]}` });
    browser = await openBrowser();
    opened = await browser.open(await linkOf(daemon));
    page = opened.page;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    await alice?.close();
    await bob?.close();
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  it('with one agent: messages appear at once and are read when visible', async () => {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Alice' }).click();
    await composer('Message Alice').fill('Are **you** there?');
    await page.keyboard.press('Enter');
    await messages().getByText('Are you there?').waitFor();
    expect(await messages().locator('strong', { hasText: 'you' }).count()).toBe(1);
    const { messages: got } = await alice.inbox();
    expect(got).toMatchObject([{ from: me, content: 'Are **you** there?' }]);
    const { messageId } = await alice.reply(got[0]?.id ?? '', 'I am.');
    await messages().getByText('I am.').waitFor();
    await expect.poll(async () => (await alice.readers(messageId)).readers).toMatchObject([{ agent: me }]);
  });

  it('count what is unread beside their names', async () => {
    await at('/settings');
    await bob.send(me, 'First of two.');
    await bob.send(me, 'Second of two.');
    const links = page.getByRole('navigation', { name: 'Dashboard' });
    await links.getByRole('link', { name: 'Bob 2 unread' }).waitFor();
    await links.getByRole('link', { name: 'Bob' }).click();
    await messages().getByText('Second of two.').waitFor();
    await links.getByRole('link', { name: 'Bob', exact: true }).waitFor();
  });

  it('are read when they were in sight, not when they were loaded', async () => {
    await at('/settings');
    const sent: string[] = [];
    for (let count = 0; count < 30; count++)
      sent.push((await alice.send(me, `Number ${count}\n\n${'A line.\n\n'.repeat(5)}`)).messageId);
    const isRead = async (id = '') => (await alice.readers(id)).readers.some(({ agent }) => agent === me);
    await at('/activity');
    await messages().getByText('Number 29').waitFor();
    await expect.poll(() => isRead(sent.at(-1))).toBe(true);
    expect(await messages().getByText('Number 0', { exact: true }).count()).toBe(1);
    expect(await isRead(sent[0])).toBe(false);
    const readsFirst = async () => {
      await messages().getByText('Number 0', { exact: true }).scrollIntoViewIfNeeded();
      return await isRead(sent[0]);
    };
    await expect.poll(readsFirst).toBe(true);
    expect(await isRead(sent[15])).toBe(false);
  });

  it('are not read while the page is hidden', async () => {
    await at('/direct/Bob');
    const show = (state: string) =>
      page.evaluate((visibility) => {
        Object.defineProperty(document, 'visibilityState', { get: () => visibility, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await show('hidden');
    const { messageId } = await bob.send(me, 'Nobody looks.');
    const row = messages().getByText('Nobody looks.');
    await row.waitFor();
    await page
      .getByRole('navigation', { name: 'Dashboard' })
      .getByRole('link', { name: 'Bob 1 unread' })
      .waitFor();
    expect((await bob.readers(messageId)).readers).toEqual([]);
    await show('visible');
    await expect.poll(async () => (await bob.readers(messageId)).readers).toMatchObject([{ agent: me }]);
  });

  it('in a channel: joined with one click, with names and channels completed', async () => {
    await page.getByRole('link', { name: 'release' }).click();
    await page.getByText('Release 7 <img').waitFor();
    await page.getByRole('button', { name: 'Join #release' }).click();
    await composer('Message #release').fill('Look at this, @Al');
    await page.getByRole('option', { name: '@Alice' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('and #rel');
    await page.getByRole('option', { name: '#release' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await messages().getByText('Look at this, @Alice and #release').waitFor();
    expect((await alice.inbox()).messages.at(-1)).toMatchObject({ channel: '#release', mentions: ['Alice'] });
  });

  it('keep what is not sent yet', async () => {
    await composer('Message #release').fill('Half a thought');
    await at('/direct/Bob');
    expect(await composer('Message Bob').inputValue()).toBe('');
    await at('/channel/release');
    expect(await composer('Message #release').inputValue()).toBe('Half a thought');
    await composer('Message #release').fill('');
  });

  it('link the agents and channels they name', async () => {
    await alice.send(
      '#release',
      `Ask @Bob. And @${me}, not @Nobody, \`@Bob\` or a@Bob; see #release! And @bob, #RELEASE.`,
    );
    const row = page.getByRole('article').filter({ hasText: 'not @Nobody' });
    await row.waitFor();
    const links = row.locator('.body a');
    expect(await links.allTextContents()).toEqual(['@Bob', `@${me}`, '#release', '@bob', '#RELEASE']);
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
      ...['#/demo/agent/Bob', `#/demo/agent/${me}`, '#/demo/channel/release'],
      ...['#/demo/agent/Bob', '#/demo/channel/release'],
    ]);
    expect(await row.locator('.body').textContent()).toContain('or a@Bob; see #release!');
    expect(await seriousFindings(page)).toEqual([]);
    await links.first().click();
    await page.getByRole('heading', { name: 'Bob' }).waitFor();
    await page.goBack();
  });

  it('with reactions, threads and the delivery of a message', async () => {
    const { messageId } = await alice.send('#release', 'It is out.');
    const row = page.getByRole('article').filter({ hasText: 'It is out.' });
    await row.hover();
    await row.getByRole('button', { name: 'React to Alice' }).click();
    await row.getByRole('button', { name: 'React with 🎉' }).click();
    await row.getByRole('button', { name: `🎉 1 by ${me}` }).waitFor();
    await alice.react(messageId, '🎉');
    await row.getByRole('button', { name: /^🎉 2 by/ }).waitFor();

    await row.getByRole('button', { name: /Open the thread/ }).click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByRole('textbox', { name: 'Reply in the thread' }).fill('Well done!');
    await page.keyboard.press('Enter');
    await thread.getByText('Well done!').waitFor();
    expect((await alice.thread(messageId)).messages.map(({ content }) => content)).toEqual([
      'It is out.',
      'Well done!',
    ]);

    await at('/direct/Bob');
    await composer('Message Bob').fill('For you.');
    await page.keyboard.press('Enter');
    const mine = page.getByRole('article').filter({ hasText: 'For you.' });
    await mine.hover();
    await mine.getByRole('button', { name: /Show the delivery/ }).click();
    const delivery = page.getByRole('complementary', { name: 'Delivery' });
    await delivery.getByText(/Nothing wakes this agent/).waitFor();
    await delivery.getByText(/check its inbox, or run it with/).waitFor();
    await bob.inbox();
    await delivery.getByText('Read from the inbox').first().waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await delivery.waitFor({ state: 'detached' });
  });

  it('show the newest replies of a long thread, and the others on demand', async () => {
    const { messageId } = await alice.send('#release', 'What is left?');
    for (let number = 0; number < 120; number++) await alice.reply(messageId, `Point ${number}`);
    await at(`/message/${messageId}`);
    const row = page.getByRole('article').filter({ hasText: 'What is left?' });
    await row.hover();
    await row.getByRole('button', { name: /Open the thread/ }).click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    const isInSight = (text: string) =>
      thread.getByText(text, { exact: true }).evaluate((element) => {
        const frame = element.closest('[role=log]')?.getBoundingClientRect();
        return element.getBoundingClientRect().bottom <= (frame?.bottom ?? 0);
      });
    await thread.getByText('Point 119', { exact: true }).waitFor();
    await expect.poll(() => isInSight('Point 119')).toBe(true);
    expect(await thread.getByText('What is left?').count()).toBe(1);
    expect(await thread.getByText('Point 0', { exact: true }).count()).toBe(0);
    await thread.getByRole('button', { name: 'Show earlier replies' }).click();
    await thread.getByText('Point 0', { exact: true }).waitFor();
    expect(await thread.getByRole('button', { name: 'Show earlier replies' }).count()).toBe(0);
    const { messageId: last } = await alice.reply(messageId, 'Nothing else.');
    await thread.getByText('Nothing else.').waitFor();
    await alice.react(last, '🎉');
    await thread.getByRole('button', { name: '🎉 1 by Alice' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('show characters that hide or turn text around', async () => {
    const file = await alice.attach('photo\u202Egpj.exe', Buffer.from('x'));
    await alice.send('#release', 'Run this: \u202Eread me', { attachments: [file.id] });
    await at('/channel/release');
    const row = page.getByRole('article').filter({ hasText: 'Run this:' });
    await row.getByText('Run this: \uFFFDread me').waitFor();
    await row.getByRole('button', { name: 'Save photo\uFFFDgpj.exe' }).waitFor();
    // Not only in messages.
    await alice.channels.topic('#release', 'Release\u3164\u202E7');
    await page.getByText('Release\uFFFD\uFFFD7').waitFor();
  });

  it('say of a waiting message where it really is, why, and what to do', async () => {
    await using carol = await client(daemon, { name: 'Carol', cli: 'claude', paths: ['pty'] });
    await carol.paths.waits('pty', { code: 'held_by_viewer' });
    await at('/direct/Carol');
    await composer('Message Carol').fill('When you are free.');
    await page.keyboard.press('Enter');
    const row = page.getByRole('article').filter({ hasText: 'When you are free.' });
    await row.hover();
    await row.getByRole('button', { name: /Show the delivery/ }).click();
    const recipient = page.getByRole('complementary', { name: 'Delivery' }).getByRole('region');
    await recipient.getByText('Someone holds its messages in its terminal. Deliver them there.').waitFor();
    // It never was in a terminal.
    expect(await recipient.locator('.state').textContent()).toBe('Stored');
    await carol.paths.waits('pty', { code: 'interrupted' });
    await recipient.getByText('Tell it in its terminal how to continue; the message follows.').waitFor();
  });

  it('with files', async () => {
    await at('/direct/Bob');
    await page.getByRole('button', { name: 'Attach files' }).waitFor();
    await page.locator('input[type=file]').setInputFiles({
      name: '<img src=x onerror=hacked>.txt',
      mimeType: 'text/html',
      buffer: Buffer.from('the content'),
    });
    await composer('Message Bob').fill('With a file.');
    await page.keyboard.press('Enter');
    const save = page.getByRole('button', { name: /^Save <img/ });
    const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
    const stream = await download.createReadStream();
    const pieces: Buffer[] = [];
    for await (const piece of stream) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).toBe('the content');
    expect((await bob.inbox()).messages.at(-1)?.attachments).toMatchObject([{ mediaType: 'text/html' }]);
  });

  it('between agents can be read, and all messages followed', async () => {
    await alice.send('Bob', 'Only for Bob.');
    await at('/between/Alice,Bob');
    await messages().getByText('Only for Bob.').waitFor();
    // What happens to them is seen at once, though the person has no part in them.
    const { messageId } = await alice.send('Bob', 'A secret.');
    const secret = page.getByRole('article').filter({ hasText: 'A secret.' });
    await secret.waitFor();
    await bob.react(messageId, '👀');
    await secret.getByRole('button', { name: '👀 1 by Bob' }).waitFor();
    await alice.redact(messageId);
    await messages().getByText('This message was redacted.').waitFor();
    expect(await secret.count()).toBe(0);
    await at('/activity');
    await messages().getByText('Only for Bob.').waitFor();
    const all = page
      .getByRole('navigation', { name: 'Dashboard' })
      .getByRole('link', { name: /^All messages/ });
    await at('/settings');
    await bob.send('*', 'To everyone.');
    await expect.poll(() => all.textContent()).toBe('All messages1 unread');
    await all.click();
    await messages().getByText('To everyone.').waitFor();
    await expect.poll(() => all.textContent()).toBe('All messages');
  });

  it('can be searched', async () => {
    // The index is filled a moment after the message.
    await expect.poll(async () => (await alice.search('out')).length).toBeGreaterThan(0);
    await at('/search');
    await page.getByRole('searchbox', { name: 'Search messages' }).fill('out');
    await page.locator('mark', { hasText: 'out' }).first().waitFor();
    await alice.send('#release', 'A **bold** word about `herons`.');
    await expect.poll(async () => (await alice.search('herons')).length).toBe(1);
    await page.getByRole('searchbox', { name: 'Search messages' }).fill('herons');
    await page.getByText('A bold word about herons.').waitFor();
  });

  it('lead to one message by a link that survives a reload and a sign-in', async () => {
    const { messageId } = await alice.send('#release', 'The one that is looked for.');
    for (let count = 0; count < 120; count++) await alice.send('#release', `Later ${count}`);
    await at(`/message/${messageId}`);
    const target = page.getByRole('article').filter({ hasText: 'The one that is looked for.' });
    await target.waitFor();
    expect(page.url()).toContain(`/channel/release/${messageId}`);
    expect(await target.getAttribute('aria-current')).toBe('true');
    await page.reload();
    await target.waitFor();
    expect(await messages().getByText('Later 119').count()).toBe(0);
    await page.getByRole('button', { name: 'Latest messages' }).click();
    await messages().getByText('Later 119').waitFor();

    await using other = await browser.open(`http://${daemon.http}/#/demo/message/${messageId}`);
    await other.page.getByRole('heading', { name: 'Sign in to Agent Relay' }).waitFor();
    await other.page.goto(await linkOf(daemon));
    await other.page.getByText('The one that is looked for.').waitFor();
  });

  it('are created and changed: a channel, its topic and members, a group', async () => {
    await page.getByRole('button', { name: 'New channel' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('bugs');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: '#bugs', exact: true }).waitFor();
    await page.getByRole('button', { name: 'About #bugs' }).click();
    const about = page.getByRole('complementary', { name: 'About this channel' });
    await about.getByRole('textbox', { name: 'Topic' }).fill(`What is broken ${ATTACKS[0]}`);
    await about.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changed the topic of #bugs.').waitFor();
    await about.getByRole('combobox', { name: 'Add an agent to #bugs' }).fill('Bob');
    await about.getByRole('button', { name: 'Add', exact: true }).click();
    await about.getByRole('link', { name: 'Bob' }).waitFor();
    expect(await bob.channels.list()).toContainEqual(
      expect.objectContaining({ name: '#bugs', joined: true, topic: `What is broken ${ATTACKS[0]}` }),
    );
    expect(await seriousFindings(page)).toEqual([]);
    await about.getByRole('button', { name: 'Archive #bugs' }).click();
    await about.getByRole('button', { name: 'Archive #bugs?' }).click();
    await page.getByText('This channel is archived.').waitFor();
    await about.getByRole('button', { name: 'Reopen #bugs' }).click();
    await composer('Message #bugs').waitFor();

    await page.getByRole('button', { name: 'New message' }).click();
    const dialog = page.getByRole('dialog', { name: 'New message' });
    await dialog.getByRole('button', { name: 'Add Bob' }).click();
    await dialog.getByRole('button', { name: 'Add Alice' }).click();
    await dialog.getByRole('button', { name: 'Write' }).click();
    await composer('Message Alice, Bob').fill('To both of you.');
    await page.keyboard.press('Enter');
    await messages().getByText('To both of you.').waitFor();
    expect((await bob.inbox()).messages.at(-1)?.group?.toSorted()).toEqual(['Alice', 'Bob', me].sort());
  });

  it('have a menu for each channel in the list', async () => {
    await alice.channels.create('chores');
    const channel = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /^chores/ }) });
    const choose = async (action: string) => {
      await channel.hover();
      await channel.getByRole('button', { name: 'Actions for #chores' }).click();
      await page
        .getByRole('menu', { name: 'Actions for #chores' })
        .getByRole('menuitem', { name: action })
        .click();
    };
    await choose('Join');
    await page.getByText('Joined #chores.').waitFor();
    await alice.send('#chores', 'Who waters the plants?');
    await channel.getByRole('link', { name: 'chores 1 unread' }).waitFor();
    await choose('Mark as read');
    await channel.getByRole('link', { name: 'chores', exact: true }).waitFor();
    await choose('Topic and members');
    await page.getByRole('heading', { name: '#chores', exact: true }).waitFor();
    const about = page.getByRole('complementary', { name: 'About this channel' });
    await about.getByRole('link', { name: 'Alice' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await choose('Archive');
    await page.getByText('This channel is archived.').waitFor();
    const notice = page.locator('.notice', { hasText: 'Archived #chores.' });
    await notice.getByRole('button', { name: 'Undo' }).click();
    await composer('Message #chores').waitFor();
    await choose('Leave');
    await page.getByRole('button', { name: 'Join #chores' }).waitFor();
  });

  it('show times in the language and time zone of the reader', async () => {
    const { messageId } = await alice.send('#release', 'What time is it?');
    const there = { locale: 'de-DE', timezoneId: 'Asia/Tokyo' };
    await using other = await browser.open(await linkOf(daemon), there);
    await other.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await other.page.goto(`http://${daemon.http}/#/demo/message/${messageId}`);
    const time = other.page.getByRole('article').filter({ hasText: 'What time' }).locator('time').first();
    expect(await time.getAttribute('title')).toMatch(
      /^\p{L}+tag, \d+\. \p{L}+ \d{4} .*GMT\+9$|^Mittwoch, .*GMT\+9$/u,
    );
  });

  it('show each word that an agent reads', async () => {
    await at('/direct/Alice');
    const { messageId } = await alice.send(
      me,
      '<!-- comment -->\n\n[//]: # (definition)\n\n[](https://a.example "title")\n\n&#x202e;\n\n```js or more\ncode\n```',
    );
    const body = page.locator(`#message-${messageId} .body`);
    await body.waitFor();
    expect((await body.locator('> *').allTextContents()).filter(Boolean)).toEqual([
      ...['<!-- comment -->', '[//]: # (definition)', 'https://a.example "title"', '&#x202e;'],
      ...['js or more', 'code'],
    ]);
    const { messageId: quotes } = await alice.send(me, '>'.repeat(3_000));
    await page.locator(`#message-${quotes} .body`).getByText('>'.repeat(2_000)).waitFor();
  });

  it('run nothing, load nothing and hide nothing, whatever they contain', async () => {
    const asked: string[] = [];
    page.on('request', (request) => {
      if (!request.url().includes(daemon.http)) asked.push(request.url());
    });
    await at('/direct/Alice');
    for (const attack of ATTACKS) await alice.send(me, `${attack}\n\nafter it`);
    await expect.poll(() => messages().getByText('after it').count()).toBe(ATTACKS.length);
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    const bad =
      'script, img, svg:not(.icon), iframe, form:not(.composer), style, [style], [onerror], [onload]';
    expect(await messages().locator(bad).count()).toBe(0);
    const links = await messages()
      .locator('a[href]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    expect(links.filter((href) => !/^(https?:|mailto:|#)/.test(href))).toEqual([]);
    expect(asked).toEqual([]);
    expect(await page.getByRole('heading', { name: 'Alice' }).isVisible()).toBe(true);
    const { headers } = await fetch(`http://${daemon.http}/`);
    expect(headers.get('content-security-policy')).toContain("trusted-types 'none'");
  });

  it('have no accessibility problems, on a desktop and a phone, in light and dark', async () => {
    await alice.send(
      '#release',
      `\`\`\`\n${'wide '.repeat(60)}\n\`\`\`\n\n|a|b|\n|-|-|\n|${'wide'.repeat(40)}|b|`,
    );
    await at('/channel/release');
    await messages().getByText('wide wide').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await seriousFindings(page)).toEqual([]);
    await at('/activity');
    await messages().getByText('wide wide').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'All conversations' }).click();
    await page.getByRole('heading', { name: 'Messages', exact: true }).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
  });

  it('logged nothing to the console', () => {
    expect(opened.errors).toEqual([]);
  });
});
