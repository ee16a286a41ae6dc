import { personName, type Relay } from '@agent-relay/sdk/node';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { client } from '../e2e/messaging-commands.ts';
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

  it('teaches the first command where there is no agent yet', async () => {
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
    await page.getByRole('button', { name: 'Mark the question of Carol as done' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    expect((await carol.readers(messageId)).readers).toMatchObject([{ agent: me }]);
  });

  it('answers the permission prompt that the person sees, and no other', async () => {
    const fred = await join('Fred', { cli: 'codex', paths: ['native'] });
    const process = { pid: 1, mark: 'none' };
    const run = { run: 'run_fred', cli: 'codex', cwd: '/', host: process, program: process, startedAt: 1 };
    await fred.request('HOST', run);
    const asks = (digit: string, text: string) =>
      fred.request('PROMPT_REPORT', { run: 'run_fred', prompt: { digest: digit.repeat(64), text } });
    const given: unknown[] = [];
    fred.on('terminal.command', ({ command }) => {
      if (command.kind !== 'answer') return;
      const { request, digest, answer } = command;
      given.push([digest[0], answer]);
      const answered = { request, isSent: digest[0] !== 'b' };
      void fred.request('PROMPT_REPORT', { run: 'run_fred', answered });
    });
    const attack = 'Run a command\n<img src=x onerror=alert(1)> rm -r build';
    await asks('a', attack);
    await fred.paths.waits('native', { code: 'approval_dialog' });
    await waiting().getByText('rm -r build').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow Fred, once' }).click();
    await page.getByText('Allowed Fred.').waitFor();
    // The host has found another one open.
    await asks('b', 'Run a command\nls');
    await page.getByRole('button', { name: 'Deny Fred' }).click();
    await page.getByText('The prompt of Fred has changed or was answered. Nothing was sent.').waitFor();
    expect(given).toEqual([
      ['a', 'allow'],
      ['b', 'deny'],
    ]);
    await fred.paths.ready('native');
    await page.getByText('Nothing waits for you.').waitFor();
  });

  it('lets the person allow or deny a call that wants consent', async () => {
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
    await page.getByText('Nothing waits for you.').waitFor();
  });

  it('shows held messages, and releases them', async () => {
    const [dora, emil] = [await join('Dora', { paths: [] }), await join('Emil', { paths: [] })];
    let held: string | undefined;
    for (let turn = 0; held === undefined && turn < 20; turn++) {
      const [from, to] = turn % 2 === 0 ? [dora, 'Emil'] : [emil, 'Dora'];
      held = (await from.send(to, 'Thanks!')).held;
    }
    expect(held).toBeDefined();
    await waiting()
      .getByText(/message held/)
      .waitFor();
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByText('Released 1 message.').waitFor();
    await page.getByText('Nothing waits for you.').waitFor();
  });

  it('filters and groups the agents, and tells those from elsewhere', async () => {
    const owner = await client(daemon);
    clients.push(owner);
    const { key } = await owner.request('KEY_CREATE', {});
    await join('Faraway', { url: `ws://${daemon.http}/ws`, workspaceKey: key, env: {} });
    await row('Faraway')
      .getByText(/Remote/)
      .waitFor();
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

  it('has all of hundreds of agents on one screen, and draws only the rows in view', async () => {
    const crowd = await Promise.all(
      Array.from({ length: 120 }, (_, number) => join(`Worker${number}`, { cli: 'codex', paths: ['pty'] })),
    );
    const map = page.getByRole('list', { name: 'All agents at a glance' });
    await expect.poll(() => map.getByRole('listitem').count()).toBeGreaterThan(120);
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    const table = page.getByRole('region', { name: 'Table of agents' });
    await table.focus();
    await page.keyboard.press('End');
    await row('Worker119').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    for (const worker of crowd) await worker.close();
  });

  it('runs nothing that others wrote', async () => {
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

  it('has nothing a screen reader stumbles over, in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFindings(page)).toEqual([]);
    }
    await page.goto(`http://${daemon.http}/#/demo/settings`);
    await page.getByRole('heading', { name: 'Signed-in browsers' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('said nothing to the console', () => {
    expect(opened.errors).toEqual([]);
  });
});
