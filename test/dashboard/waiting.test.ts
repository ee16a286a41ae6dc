import { personName, type Relay } from '@agent-relay/sdk/node';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { client } from '../e2e/messaging/commands.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { UNGOVERNED } from '../kit/daemon.ts';
import { linkOf, type OpenPage, openBrowser, seriousFindings, startDaemon, type TestDaemon } from './kit.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(!hasBrowser)(`what waits for the person, in Chromium${NEEDS_BROWSER}`, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;
  let page: Page;
  const me = personName();
  const clients: Relay[] = [];
  const join = async (name: string, options: Parameters<typeof client>[1] = {}) => {
    const relay = await client(daemon, { name, paths: [], ...options });
    clients.push(relay);
    return relay;
  };
  const waiting = () => page.getByRole('region', { name: /Waiting for you/ });
  const count = () => page.title().then((title) => /^\((\d+)\)/.exec(title)?.[1] ?? '0');
  const ask = (from: Relay, content: string) => from.send(me, content, { kind: 'question' });
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
  const at = (path: string) => page.goto(`http://${daemon.http}/#/demo${path}`);

  beforeAll(async () => {
    daemon = await startDaemon({ settings: UNGOVERNED });
    browser = await openBrowser();
    opened = await browser.open(await linkOf(daemon));
    page = opened.page;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterEach(async () => {
    for (const relay of clients.splice(0)) await relay.close();
    await at('');
    const done = page.getByRole('button', { name: /as done$/ });
    if ((await waiting().count()) > 0) {
      const all = page.getByRole('button', { name: 'Show all', exact: true });
      if ((await all.count()) > 0) await all.click();
    }
    while ((await done.count()) > 0) {
      const left = await done.count();
      await done.first().click();
      await expect.poll(() => done.count()).toBeLessThan(left);
    }
    await page.getByText('Nothing waits for you.').waitFor();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  /** A tool that wants consent, and calls of it. */
  const offerDeploy = async () => {
    const ops = await join('Ops');
    await ops.exposeTool({
      name: 'deploy',
      description: 'Deploys',
      input: z.object({ target: z.string(), steps: z.array(z.string()).optional() }),
      consent: true,
      handler: ({ input }) => ({ deployed: input.target }),
    });
    const caller = await join('Caller');
    return {
      call: (input: object, options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
        caller.call('Ops.deploy', input as never, options),
    };
  };

  it('keeps consents until each is decided, whatever else the person writes', async () => {
    const { call } = await offerDeploy();
    const one = call({ target: 'one' });
    const two = call({ target: 'two' });
    await expect.poll(count).toBe('2');
    await at('/direct/relay');
    await page.getByText(/The relay reads no messages here/).waitFor();
    expect(await page.getByRole('textbox', { name: 'Message relay' }).count()).toBe(0);
    // By the command line, where nobody is kept from it.
    expect((await daemon.cli(['send', 'relay', 'One moment, I look.'])).code).toBe(0);
    await at('/direct/relay');
    await page.getByText('One moment, I look.').waitFor();
    expect(await count()).toBe('2');
    await at('');
    const item = (target: string) =>
      waiting()
        .getByRole('listitem')
        .filter({ hasText: `"${target}"` });
    await item('one').getByRole('button', { name: 'Allow the call' }).click();
    expect(await one).toEqual({ deployed: 'one' });
    await expect.poll(count).toBe('1');
    const refusal = expect(two).rejects.toMatchObject({ code: 'Denied' });
    await item('two').getByRole('button', { name: 'Deny the call' }).click();
    await refusal;
    await expect.poll(count).toBe('0');
  });

  /** As fast as nobody is: presses what is at this point as soon as the page shows the text. */
  const pressOnceShown = (point: { x: number; y: number }, text: string) =>
    page.evaluate(
      ({ x, y, text }) =>
        new Promise<string>((resolve) => {
          new MutationObserver((_changes, observer) => {
            if (!document.querySelector('.waiting')?.textContent?.includes(text)) return;
            observer.disconnect();
            const button = document.elementFromPoint(x, y)?.closest('button');
            button?.click();
            resolve(button?.textContent ?? '');
          }).observe(document.body, { subtree: true, childList: true, characterData: true });
        }),
      { ...point, text },
    );
  const middleOf = async (button: Locator) => {
    await expect.poll(() => button.isEnabled()).toBe(true);
    const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
    return { x: x + width / 2, y: y + height / 2 };
  };

  it('ignores a press on a consent that came under the pointer just now', async () => {
    const { call } = await offerDeploy();
    const ended = new AbortController();
    const one = expect(call({ target: 'one' }, { signal: ended.signal })).rejects.toThrow();
    await waiting().getByText('"one"').waitFor();
    const two = call({ target: 'two' });
    await expect.poll(count).toBe('2');
    const allow = page.getByRole('button', { name: 'Allow the call' });
    await allow.first().hover();
    await page.mouse.move(0, 0);
    const point = await middleOf(allow.first());
    const pressed = page.evaluate(
      ({ x, y }) =>
        new Promise<string>((resolve) => {
          new MutationObserver((_changes, observer) => {
            if (document.querySelector('.waiting')?.textContent?.includes('"one"')) return;
            observer.disconnect();
            const button = document.elementFromPoint(x, y)?.closest('button');
            button?.click();
            resolve(button?.textContent ?? '');
          }).observe(document.body, { subtree: true, childList: true, characterData: true });
        }),
      point,
    );
    ended.abort();
    await one;
    expect(await pressed).toBe('Allow');
    await expect.poll(() => allow.isEnabled()).toBe(true);
    expect(await count()).toBe('1');
    await allow.click();
    expect(await two).toEqual({ deployed: 'two' });
  });

  it('moves nothing under the pointer: what is more urgent stands at the end until the pointer leaves', async () => {
    const carol = await join('Carol');
    await ask(carol, 'Which port?');
    const answer = page.getByRole('textbox', { name: 'Answer Carol' });
    await answer.hover();
    const before = await answer.boundingBox();
    const { call } = await offerDeploy();
    const ended = new AbortController();
    const made = expect(call({ target: 'one' }, { signal: ended.signal })).rejects.toThrow();
    await expect.poll(count).toBe('2');
    const order = () =>
      waiting()
        .getByRole('listitem')
        .evaluateAll((all) => all.map((one) => (/Which port/.test(one.textContent ?? '') ? 'asks' : 'call')));
    await page.getByRole('button', { name: '1 new above' }).waitFor();
    expect(await order()).toEqual(['asks', 'call']);
    expect(await answer.boundingBox()).toEqual(before);
    await page.mouse.move(0, 0);
    await expect.poll(order).toEqual(['call', 'asks']);
    // What ends there says so, and keeps its place for a moment.
    await page.getByRole('button', { name: 'Deny the call' }).hover();
    ended.abort();
    await made;
    await waiting().getByText('This call has ended.').waitFor();
    await expect.poll(count).toBe('1');
    await page.mouse.move(0, 0);
    await waiting().getByText('This call has ended.').waitFor({ state: 'detached' });
  });

  it('ignores a press on a prompt that replaced another just now', async () => {
    const fred = await join('Fred', { cli: 'codex', paths: ['native'] });
    const program = { pid: 1, mark: 'none' };
    const run = { run: 'run_fred', cli: 'codex', cwd: '/', host: program, program, startedAt: 1 };
    await fred.request('HOST', run);
    const asks = (key: string, command: string) =>
      fred.request('PROMPT_REPORT', { run: 'run_fred', prompt: { key, ask: { kind: 'command', command } } });
    const given: string[] = [];
    fred.on('terminal.command', ({ command }) => {
      if (command.kind !== 'answer') return;
      given.push(`${command.answer} ${command.key}`);
      void fred.request('PROMPT_REPORT', {
        run: 'run_fred',
        answered: { request: command.request, isSent: true },
      });
    });
    await asks('a', 'ls build');
    await fred.paths.waits('native', { code: 'approval_dialog' });
    const allow = page.getByRole('button', { name: 'Allow Fred, once' });
    const pressed = pressOnceShown(await middleOf(allow), 'rm -r build');
    await asks('b', 'rm -r build');
    expect(await pressed).toBe('Allow');
    await page.getByRole('button', { name: 'Deny Fred' }).click();
    await expect.poll(() => given).toEqual(['deny b']);
    await fred.paths.ready('native');
  });

  it('drops a consent when the call ends', async () => {
    const { call } = await offerDeploy();
    const ended = new AbortController();
    const cancelled = expect(call({ target: 'one' }, { signal: ended.signal })).rejects.toThrow();
    const late = expect(call({ target: 'two' }, { timeoutMs: 3000 })).rejects.toMatchObject({
      code: 'Denied',
    });
    await expect.poll(count).toBe('2');
    ended.abort();
    await cancelled;
    await expect.poll(count).toBe('1');
    await late;
    await expect.poll(count).toBe('0');
  });

  it('keeps the questions of an agent when the person writes it something else', async () => {
    const carol = await join('Carol');
    await ask(carol, 'Which port?');
    await ask(carol, 'Which host?');
    await expect.poll(count).toBe('2');
    await at('/direct/Carol');
    await page.getByRole('textbox', { name: 'Message Carol' }).fill('One moment, I look.');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('One moment, I look.').waitFor();
    await expect.poll(async () => (await carol.inbox()).messages.length).toBe(1);
    expect(await count()).toBe('2');
    const question = page.getByRole('article').filter({ hasText: 'Which host?' });
    await question.hover();
    await question.getByRole('button', { name: /Open the thread/ }).click();
    await page.getByRole('textbox', { name: 'Reply in the thread' }).fill('localhost');
    await page.keyboard.press('Enter');
    await expect.poll(count).toBe('1');
  });

  it('sends an answer once, however often Enter is pressed, and keeps one that is not finished', async () => {
    const carol = await join('Carol');
    await ask(carol, 'Which port?');
    const field = page.getByRole('textbox', { name: 'Answer Carol' });
    await field.fill('38');
    await at('/settings');
    await page.getByRole('heading', { name: 'Signed-in browsers' }).waitFor();
    await at('');
    expect(await field.inputValue()).toBe('38');
    await field.fill('3888');
    await field.evaluate((element) => {
      const { form } = element as HTMLInputElement;
      form?.requestSubmit();
      form?.requestSubmit();
    });
    await expect.poll(count).toBe('0');
    await carol.send(me, 'Thanks.');
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Carol' }).click();
    await page.getByRole('log').getByText('Thanks.').waitFor();
    expect(await page.getByRole('log').getByText('3888', { exact: true }).count()).toBe(1);
  });

  it('shows open questions however much was said since, and no answered ones', async () => {
    const [carol, dave] = [await join('Carol'), await join('Dave')];
    await ask(carol, 'Which host?');
    const { messageId: answered } = await ask(carol, 'Which colour?');
    await expect.poll(count).toBe('2');
    expect((await daemon.cli(['send', 'Carol', 'Green.', '--reply-to', answered])).code).toBe(0);
    await expect.poll(count).toBe('1');
    for (let number = 0; number < 600; number++) await dave.send('#general', `Part ${number} is done.`);
    await page.reload();
    await waiting().getByText('Which host?').waitFor();
    expect(await count()).toBe('1');
  });

  it('shows characters that hide or turn text around', async () => {
    const { call } = await offerDeploy();
    const made = expect(call({ target: 'live\u202Etset\u202C\u200B' })).rejects.toMatchObject({
      code: 'Denied',
    });
    await waiting().getByText('live\\u{202e}tset\\u{202c}\\u{200b}').waitFor();
    await page.getByRole('button', { name: 'Deny the call' }).click();
    await made;
  });

  it('shows all that is to be allowed, and says where there is more to read', async () => {
    const { call } = await offerDeploy();
    const steps = Array.from({ length: 60 }, (_, index) => `step ${index}`);
    const made = call({ target: 'long', steps: [...steps, 'rm -r /'] });
    const text = waiting().getByRole('region', { name: 'The call' });
    await text.waitFor();
    await waiting().getByText('More below').waitFor();
    const isInSight = () =>
      text.evaluate((element) => {
        const last = [...element.querySelectorAll('.text-line')].find((line) =>
          line.textContent?.includes('rm -r /'),
        );
        const { bottom = Number.NaN } = last?.getBoundingClientRect() ?? {};
        return bottom <= element.getBoundingClientRect().bottom;
      });
    expect(await isInSight()).toBe(false);
    expect(await seriousFindings(page)).toEqual([]);
    // With the keyboard alone.
    await text.focus();
    await page.keyboard.press('End');
    await waiting().getByText('More below').waitFor({ state: 'detached' });
    expect(await isInSight()).toBe(true);
    await waiting()
      .getByRole('button', { name: /^Show all \d+ lines$/ })
      .click();
    await waiting().getByText('More below').waitFor({ state: 'detached' });
    expect(await isInSight()).toBe(true);
    await page.getByRole('button', { name: 'Allow the call' }).click();
    expect(await made).toEqual({ deployed: 'long' });

    const carol = await join('Carol');
    await ask(carol, `May I run this?\n\n${'select 1;\n'.repeat(40)}drop table users;`);
    const sql = waiting().getByRole('region', { name: 'The question of Carol' });
    await waiting().getByText('More below').waitFor();
    expect(await sql.textContent()).toContain('drop table users;');
  });

  it('has a button that helps for each, also without a terminal of the relay', async () => {
    const reviewer = await join('Reviewer', { cli: 'claude', paths: ['pty'] });
    await reviewer.paths.waits('pty', { code: 'usage_limit', until: Date.now() + 30 * HOUR_MS });
    const day = new Intl.DateTimeFormat('en-US', { weekday: 'short' }).format(Date.now() + 30 * HOUR_MS);
    await waiting()
      .getByText(new RegExp(`until ${day}, .*\\d\\d:\\d\\d`))
      .waitFor();
    await waiting().getByRole('link', { name: 'Message' }).click();
    await page.getByRole('textbox', { name: 'Message Reviewer' }).waitFor();
    await reviewer.paths.waits('pty', { code: 'approval_dialog' });
    await at('');
    await waiting().getByText('It asks for permission').waitFor();
    await waiting().getByRole('link', { name: 'Open agent' }).click();
    await page.getByRole('heading', { name: 'Reviewer' }).waitFor();
  });

  it('leaves room for the agents, however much waits, and shows all on demand', async () => {
    const askers = await Promise.all(['Ann', 'Ben', 'Cid', 'Dan'].map((name) => join(name)));
    for (const relay of askers) await ask(relay, `${'A long question. '.repeat(60)}\nSaid ${relay.name}.`);
    for (const relay of askers) await ask(relay, `${relay.name} again?`);
    await expect.poll(count).toBe('8');
    await page.reload();
    await expect.poll(count).toBe('8');
    await row('Ann').waitFor();
    const isOnScreen = async () => ((await row('Ann').boundingBox())?.y ?? 9999) + 57 <= 800;
    expect(await isOnScreen()).toBe(true);
    await waiting().getByRole('button', { name: 'and 4 more' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    // What the person writes stays where it is when more arrives.
    const answer = waiting().getByRole('textbox').first();
    const label = await answer.getAttribute('aria-label');
    await answer.fill('half an ans');
    await ask(askers[0] as Relay, 'One more thing?');
    await expect.poll(count).toBe('9');
    expect(
      await waiting()
        .getByRole('textbox', { name: label ?? '' })
        .first()
        .inputValue(),
    ).toBe('half an ans');
    expect(await isOnScreen()).toBe(true);

    await waiting()
      .getByRole('button', { name: /^Ben asks/ })
      .click();
    await waiting().getByRole('region', { name: 'The question of Ben' }).getByText('Said Ben.').waitFor();
    await waiting()
      .getByRole('button', { name: /^and \d more$/ })
      .click();
    await expect.poll(() => waiting().getByRole('textbox').count()).toBe(9);
    await page.getByRole('button', { name: 'Show less', exact: true }).click();
    await expect.poll(() => waiting().getByRole('textbox').count()).toBeLessThan(9);
  });

  it('settles several at once, with one undo', async () => {
    const askers = await Promise.all(['Ann', 'Ben', 'Cid'].map((name) => join(name)));
    for (const relay of askers) await ask(relay, `May ${relay.name} go on?`);
    const { call } = await offerDeploy();
    const denied = expect(call({ target: 'one' })).rejects.toMatchObject({ code: 'Denied' });
    await expect.poll(count).toBe('4');
    const bar = page.getByRole('toolbar', { name: 'Selected items' });
    const box = (name: string | RegExp) => waiting().getByRole('checkbox', { name });
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await bar.getByRole('checkbox', { name: 'Select all' }).check();
    await bar.getByText('4 selected').waitFor();
    await box('Select: Cid asks').uncheck();
    expect(await seriousFindings(page)).toEqual([]);
    // Allowing is not offered: each has to be read.
    expect(await bar.getByRole('button').allTextContents()).toEqual(['Mark 2 as done', 'Deny 1']);
    await bar.getByRole('button', { name: 'Deny 1' }).click();
    await denied;
    await page.getByText('Denied 1 request.').waitFor();
    await bar.getByRole('button', { name: 'Mark 2 as done' }).click();
    await expect.poll(count).toBe('1');
    const notice = page.locator('.notice', { hasText: 'Marked 2 questions as done.' });
    await notice.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(count).toBe('3');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect.poll(() => box(/^Select/).count()).toBe(0);
  });

  it('selects with the keyboard', async () => {
    for (const name of ['Ann', 'Ben']) await ask(await join(name), 'May I go on?');
    await expect.poll(count).toBe('2');
    await page.getByRole('heading', { name: 'Overview' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    const bar = page.getByRole('toolbar', { name: 'Selected items' });
    await bar.getByText('1 selected').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await bar.getByText('2 selected').waitFor();
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    // In a field it is a letter.
    await page.keyboard.press('r');
    await page.keyboard.type('x');
    expect(await page.locator(':focus').inputValue()).toBe('x');
    expect(await bar.count()).toBe(0);
  });

  it('tells screen readers what begins to wait, wherever they are, and nothing that was there before', async () => {
    const carol = await join('Carol', { cli: 'claude', paths: ['pty'] });
    await carol.paths.ready('pty');
    await ask(carol, 'Known before?');
    await expect.poll(count).toBe('1');
    await at('/settings');
    await page.reload();
    await page.getByRole('heading', { name: 'Signed-in browsers' }).waitFor();
    const news = page.getByRole('status', { name: 'News' });
    expect(await news.textContent()).toBe('');
    await ask(carol, 'Which port?');
    await expect.poll(() => news.textContent()).toBe('Carol asks: Which port?');
    await carol.paths.waits('pty', { code: 'approval_dialog' });
    await expect.poll(() => news.textContent()).toBe('Carol waits for you: approval dialog open');
    await carol.paths.ready('pty');
    await expect.poll(() => news.textContent()).toBe('');
  });

  it('logged nothing to the console', () => {
    expect(opened.errors).toEqual([]);
  });
});
