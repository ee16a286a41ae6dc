import { personName, type Relay } from '@agent-relay/sdk/node';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { client } from '../e2e/messaging/commands.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { linkOf, type OpenPage, openBrowser, seriousFindings, startDaemon, type TestDaemon } from './kit.ts';

describe.skipIf(!hasBrowser)(`the overview, in Chromium${NEEDS_BROWSER}`, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;
  let page: Page;
  const me = personName();
  const clients: Relay[] = [];
  const join = async (name: string, options: Parameters<typeof client>[1] = {}) => {
    const relay = await client(daemon, { name, ...options });
    clients.push(relay);
    return relay;
  };
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
  const waiting = () => page.getByRole('region', { name: /Waiting for you/ });

  beforeAll(async () => {
    daemon = await startDaemon({ settings: { governor: { emptyTurns: 2 } } });
    browser = await openBrowser();
    opened = await browser.open(await linkOf(daemon));
    page = opened.page;
  });
  afterAll(async () => {
    for (const relay of clients) await relay.close();
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  it('shows the first command while there is no agent', async () => {
    await page.getByRole('heading', { name: 'Connect your first agent' }).waitFor();
    await page.getByText('Nothing waits for you.').waitFor();
  });

  it('shows agents as they come, work, wait and go', async () => {
    const alice = await join('Alice', { cli: 'claude', task: 'Fix the build', paths: ['pty'] });
    await alice.paths.ready('pty');
    await row('Alice').getByText('Fix the build').waitFor();
    await row('Alice').getByText('Idle · claude').waitFor();
    await alice.paths.waits('pty', { code: 'approval_dialog', detail: 'Bash(rm -r build)' });
    await waiting().getByText('approval dialog open: Bash(rm -r build)').waitFor();
    await alice.paths.ready('pty');
    await page.getByText('Nothing waits for you.').waitFor();
    const bob = await join('Bob');
    await row('Bob').waitFor();
    await bob.close();
    await row('Bob')
      .getByText(/^Offline/)
      .waitFor();
  });

  it('shows of each agent its program and version, parent, unread messages, path and last activity', async () => {
    const ivy = await join('Ivy', { cli: 'codex', parent: 'Alice', paths: ['hook', 'pty'] });
    const process = { pid: 1, mark: 'none' };
    await ivy.request('HOST', {
      ...{ run: 'run_ivy', cli: 'codex', cwd: '/', host: process, program: process, startedAt: 1 },
      version: '0.98.1',
    });
    const jack = await join('Jack', { paths: [] });
    await jack.send('Ivy', 'First.');
    await jack.send('Ivy', 'Second.');
    const cells = row('Ivy').getByRole('cell');
    const facts = row('Ivy').getByRole('rowheader').locator('.agent-kind');
    await expect.poll(() => facts.textContent()).toMatch(/^(Idle|Working) · codex 0\.98\.1 · by Alice$/);
    // What does not fit is in the tooltip.
    expect(await facts.getAttribute('title')).toBe(await facts.textContent());
    await expect.poll(() => cells.nth(2).textContent()).toMatch(/^2\b/);
    expect(await cells.nth(3).textContent()).toBe('just now');
    expect(await cells.nth(3).locator('time').getAttribute('title')).toMatch(/\d{4}/);

    const delivery = cells.nth(1);
    await ivy.paths.ready('hook');
    await expect.poll(() => delivery.textContent()).toBe('Hook');
    await ivy.paths.waits('hook', { code: 'no_hook' });
    await ivy.paths.ready('pty');
    await expect.poll(() => delivery.textContent()).toBe('Terminal');
    await ivy.paths.waits('pty', { code: 'busy' });
    await expect.poll(() => delivery.textContent()).toBe('Terminalafter this turn');
    await ivy.paths.waits('pty', { code: 'draft' });
    await expect.poll(() => delivery.textContent()).toBe('Terminaldraft in the composer');
    await expect.poll(() => row('Jack').getByRole('cell').nth(1).textContent()).toBe('Checks its inbox');
    await row('Jack').getByText('Idle · Program').or(row('Jack').getByText('Working · Program')).waitFor();
    await jack.close();
    await expect
      .poll(() => row('Jack').getByRole('cell').nth(1).textContent())
      .toBe('When it is back online');
    await ivy.paths.ready('pty');
  });

  it('shows who talks to whom, over the time that the person chooses', async () => {
    const kim = await join('Kim', { paths: [] });
    await kim.send('Alice', 'Hello.');
    const card = page.getByRole('region', { name: 'Who talks to whom' });
    await card.getByRole('img', { name: /^\d+ messages between .*Kim/ }).waitFor();
    expect(await card.locator('.exchange title').allTextContents()).toContain('Kim → Alice: 1');
    await card.getByRole('img', { name: /^Messages per minute: [1-9]/ }).waitFor();
    await card.getByRole('button', { name: '15 min' }).click();
    await card.getByRole('button', { name: '15 min', pressed: true }).waitFor();
    expect(await card.locator('.exchange title').allTextContents()).toContain('Kim → Alice: 1');
  });

  it('shows how long messages wait until agents read them, once some were read', async () => {
    await using other = await browser.open(await linkOf(daemon));
    const card = other.page.getByRole('region', { name: 'Time until read' });
    await card.getByText('No agent has read a message since this page was opened.').waitFor();
    const [lea, max] = [await join('Lea', { paths: [] }), await join('Max', { paths: [] })];
    await lea.send('Max', 'Read me.');
    await max.inbox();
    await card.getByRole('img', { name: /^Time until read: half within .+ 1 read$/ }).waitFor();
    await card.getByText(/^half within \d.* · 95% within \d/).waitFor();
    await card.getByText(/^Measured since \d/).waitFor();
    // A person is not measured.
    await lea.send(me, 'And you?');
    expect((await daemon.cli(['inbox'])).stdout).toContain('And you?');
    await lea.send('Max', 'Again.');
    await max.inbox();
    await card.getByRole('img', { name: / 2 read$/ }).waitFor();
    expect(await seriousFindings(other.page)).toEqual([]);
    expect(other.errors).toEqual([]);
  });

  it('shows the health of the daemon', async () => {
    const health = page.getByRole('region', { name: 'Health' });
    await health.getByText(/Running · \d+\.\d+\.\d+ · started/).waitFor();
    await health.getByText('SQLite').waitFor();
    expect(await health.getByText(/^\d+$/).textContent()).toMatch(/^[1-9]\d*$/);
  });

  it('lets the person answer a question, and mark one as done', async () => {
    const carol = await join('Carol', { paths: [] });
    const answer = carol.sendAndWait(me, 'Which port?', { kind: 'question' });
    await waiting().getByText('Which port?').waitFor();
    expect(await page.title()).toBe('(1) demo · Agent Relay');
    await page.getByRole('textbox', { name: 'Answer Carol' }).fill('3888');
    await page.keyboard.press('Enter');
    expect(await answer).toMatchObject({ from: me, fromType: 'human', content: '3888' });
    await page.getByText('Nothing waits for you.').waitFor();
    const { messageId } = await carol.send(me, 'May I stop now?', { kind: 'question' });
    const done = page.getByRole('button', { name: 'Mark the question of Carol as done' });
    await done.click();
    await page.getByText('Nothing waits for you.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await waiting().getByText('May I stop now?').waitFor();
    await done.click();
    await page.getByText('Nothing waits for you.').waitFor();
    expect((await carol.readers(messageId)).readers).toMatchObject([{ agent: me }]);
  });

  it('answers the permission prompt that the person sees, and no other', async () => {
    const fred = await join('Fred', { cli: 'codex', paths: ['native'] });
    const process = { pid: 1, mark: 'none' };
    const run = { run: 'run_fred', cli: 'codex', cwd: '/', host: process, program: process, startedAt: 1 };
    await fred.request('HOST', run);
    const asks = (key: string, command: string) =>
      fred.request('PROMPT_REPORT', { run: 'run_fred', prompt: { key, ask: { kind: 'command', command } } });
    const given: unknown[] = [];
    fred.on('terminal.command', ({ command }) => {
      if (command.kind !== 'answer') return;
      const { request, key, answer } = command;
      given.push([key, answer]);
      const answered = { request, isSent: key !== 'b' };
      void fred.request('PROMPT_REPORT', { run: 'run_fred', answered });
    });
    const attack = '<img src=x onerror=alert(1)> rm -r build';
    await asks('a', attack);
    await fred.paths.waits('native', { code: 'approval_dialog' });
    await waiting().getByText('rm -r build').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow Fred, once' }).click();
    await page.getByText('Allowed Fred, once. Its CLI has the answer.').waitFor();
    // The host has found another one open.
    await asks('b', 'ls');
    await page.getByRole('button', { name: 'Deny Fred' }).click();
    await page.getByText('The prompt of Fred has changed or was answered. Nothing was sent.').waitFor();
    expect(given).toEqual([
      ['a', 'allow'],
      ['b', 'deny'],
    ]);
    await fred.request('PROMPT_REPORT', { run: 'run_fred' });
    await fred.paths.ready('native');
    await page.getByText('Nothing waits for you.').waitFor();
  });

  it('lets the person allow or deny a call that needs consent', async () => {
    const gina = await join('Gina', { paths: [] });
    await gina.exposeTool({
      name: 'wipe',
      description: 'Wipes the disk',
      input: z.object({ disk: z.string() }),
      consent: true,
      handler: ({ input }) => ({ wiped: input.disk }),
    });
    const henry = await join('Henry', { paths: [] });
    const denied = henry.call('Gina.wipe', { disk: 'one' });
    const refusal = expect(denied).rejects.toMatchObject({ code: 'Denied' });
    await waiting()
      .getByText(/Henry wants to call/)
      .waitFor();
    await page.getByRole('button', { name: 'Deny the call' }).click();
    await refusal;
    const allowed = henry.call('Gina.wipe', { disk: 'two' });
    await waiting().getByText(/"two"/).waitFor();
    await page.getByRole('button', { name: 'Allow the call' }).click();
    expect(await allowed).toMatchObject({ wiped: 'two' });
    await page.getByText('Allowed the call. It has finished.').waitFor();
    await page.getByText('Nothing waits for you.').waitFor();
  });

  it('shows held messages, and releases them', async () => {
    const [dora, emil] = [await join('Dora', { paths: [] }), await join('Emil', { paths: [] })];
    const goInCircles = async () => {
      let held: string | undefined;
      for (let turn = 0; held === undefined && turn < 20; turn++) {
        const [from, to] = turn % 2 === 0 ? [dora, 'Emil'] : [emil, 'Dora'];
        held = (await from.send(to, 'Thanks!')).held;
      }
      expect(held).toBeDefined();
    };
    await goInCircles();
    await waiting()
      .getByText(/message held/)
      .waitFor();
    await page.getByText('Dora and Emil are in a loop; messages are held.').waitFor();
    await page.getByRole('button', { name: 'Deliver 1 message' }).click();
    await page.getByText('Delivered 1 message.').waitFor();
    await page.getByText('Nothing waits for you.').waitFor();
    await goInCircles();
    // Nobody can bring them back: it asks first, also a person who clicks twice or uses the keyboard.
    const discard = page.getByRole('button', { name: 'Discard', exact: true });
    const sure = page.getByRole('button', { name: /^Discard (it|them)\?$/ });
    await discard.dblclick();
    await sure.waitFor();
    await page.keyboard.press('Escape');
    await discard.waitFor();
    await page.keyboard.press('Enter');
    await sure.waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/^Discarded \d message/).waitFor();
    await page.getByText('Nothing waits for you.').waitFor();
  });

  it('leads to the channel in which messages are held', async () => {
    const [nora, otto] = [await join('Nora', { paths: [] }), await join('Otto', { paths: [] })];
    await nora.channels.create('echo');
    await otto.channels.join('echo');
    let held: string | undefined;
    for (let turn = 0; held === undefined && turn < 20; turn++)
      held = (await (turn % 2 === 0 ? nora : otto).send('#echo', 'Thanks!')).held;
    await waiting().getByRole('link', { name: '#echo' }).click();
    await page.getByRole('heading', { name: '#echo', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: /^Deliver \d+ message/ }).click();
    await page.getByText('Nothing waits for you.').waitFor();
  });

  it('filters and groups the agents, and tells those from elsewhere', async () => {
    const owner = await client(daemon);
    clients.push(owner);
    const { key } = await owner.request('KEY_CREATE', {});
    await join('Faraway', { url: `ws://${daemon.http}/ws`, workspaceKey: key, env: {} });
    const gone = await join('Gone', { url: `ws://${daemon.http}/ws`, workspaceKey: key, env: {} });
    await gone.close();
    await row('Gone').getByText('Offline · Remote').waitFor();
    await row('Faraway')
      .getByText(/Remote/)
      .waitFor();
    // The person is listed, too, but is no agent.
    const numberOf = async (text: string | null) => Number(/\d+/.exec(text ?? '')?.[0] ?? 0);
    const idle = await page.getByRole('button', { name: /^Idle/ }).textContent();
    const online = (await owner.who()).filter(({ type, status }) => type === 'agent' && status === 'idle');
    expect(await numberOf(idle)).toBe(online.length);
    const summary = await page.locator('.place-head > p').textContent();
    expect(summary).toContain(`${online.length} idle`);
    await page.getByRole('searchbox', { name: 'Filter agents' }).fill('fix the build');
    await row('Faraway').waitFor({ state: 'detached' });
    await row('Alice').waitFor();
    await page.getByRole('searchbox', { name: 'Filter agents' }).fill('');
    await page.getByRole('combobox', { name: 'Group agents' }).selectOption('cli');
    await page.getByRole('rowheader', { name: /^claude/ }).waitFor();
    await page.getByRole('combobox', { name: 'Group agents' }).selectOption('none');
    await page.getByRole('button', { name: /^Offline/ }).click();
    await row('Alice').waitFor({ state: 'detached' });
    await row('Bob').waitFor();
    await page.getByRole('button', { name: /^All/ }).click();
  });

  it('keeps the filter in the address, and in this browser', async () => {
    const offline = page.getByRole('button', { name: /^Offline/ });
    const filter = page.getByRole('searchbox', { name: 'Filter agents' });
    await offline.click();
    await filter.fill('bob');
    await expect.poll(() => page.url()).toMatch(/#\/demo\?show=offline&filter=bob$/);
    const shared = page.url();
    await page.goto(`http://${daemon.http}/#/demo/settings`);
    await page.getByRole('link', { name: 'Overview' }).click();
    await row('Bob').waitFor();
    expect(await offline.getAttribute('aria-pressed')).toBe('true');
    expect(await filter.inputValue()).toBe('');
    await page.goto(shared);
    await expect.poll(() => filter.inputValue()).toBe('bob');
    await filter.fill('');
    await page.getByRole('button', { name: /^All/ }).click();
    await expect.poll(() => page.url()).toMatch(/#\/demo$/);
    await row('Alice').waitFor();
  });

  it('sorts the agents by a column, both ways, and keeps that in the address', async () => {
    const [dana, erin] = [await join('Sort-Dana', { paths: [] }), await join('Sort-Erin', { paths: [] })];
    await dana.send('Sort-Erin', 'One.');
    await erin.send('Sort-Dana', 'One.');
    await erin.send('Sort-Dana', 'Two.');
    await page.getByRole('searchbox', { name: 'Filter agents' }).fill('sort-');
    const names = () => page.locator('table .agent-name').allTextContents();
    const heading = (name: string) => page.getByRole('columnheader', { name });
    const press = (name: string) => heading(name).getByRole('button').click();
    const [up, down] = [
      ['Sort-Dana', 'Sort-Erin'],
      ['Sort-Erin', 'Sort-Dana'],
    ];
    await row('Sort-Dana').getByRole('cell', { name: '2', exact: true }).waitFor();
    await press('Unread');
    await expect.poll(names).toEqual(up);
    expect(await heading('Unread').getAttribute('aria-sort')).toBe('descending');
    expect(await seriousFindings(page)).toEqual([]);
    await press('Unread');
    await expect.poll(names).toEqual(down);
    await expect.poll(() => page.url()).toContain('sort=-unread');
    await page.reload();
    await expect.poll(() => heading('Unread').getAttribute('aria-sort')).toBe('ascending');
    await press('Agent');
    await press('Agent');
    await expect.poll(names).toEqual(down);
    // The third time brings the usual order back.
    await press('Agent');
    await expect.poll(names).toEqual(up);
    await expect.poll(() => page.url()).not.toContain('sort=');
    await page.getByRole('searchbox', { name: 'Filter agents' }).fill('');
  });

  it('shows hundreds of agents on one screen, and renders only the visible rows', async () => {
    const crowd = await Promise.all(
      Array.from({ length: 120 }, (_, number) => join(`Worker${number}`, { cli: 'codex', paths: ['pty'] })),
    );
    const map = page.getByRole('list', { name: 'All agents at a glance' });
    await expect.poll(() => map.getByText(/^Worker\d+: /).count()).toBe(120);
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    const table = page.getByRole('region', { name: 'Table of agents' });
    await table.focus();
    await page.keyboard.press('End');
    await row('Worker119').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    for (const worker of crowd) await worker.close();
  });

  it('runs nothing written by others', async () => {
    const attack = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
    const mallory = await join('Mallory', { task: attack, cli: '<b onclick=x>', paths: ['pty'] });
    await mallory.paths.waits('pty', { code: 'approval_dialog', detail: attack });
    await mallory.send(me, `${attack} javascript:alert(1)`, { kind: 'question' });
    await waiting().getByText(attack).first().waitFor();
    await page.getByRole('link', { name: 'Mallory' }).first().click();
    await page.getByRole('heading', { name: 'Mallory' }).waitFor();
    await page.goBack();
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    expect(await page.locator('main img, main script, main b').count()).toBe(0);
  });

  it('has no accessibility problems, in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }
    await page.goto(`http://${daemon.http}/#/demo/settings`);
    await page.getByRole('heading', { name: 'Signed-in browsers' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('logged nothing to the console', () => {
    expect(opened.errors).toEqual([]);
  });
});
