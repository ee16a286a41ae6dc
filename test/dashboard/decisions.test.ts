import { personName, type Relay } from '@agent-relay/sdk/node';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { client } from '../e2e/messaging/commands.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { UNGOVERNED } from '../kit/daemon.ts';
import { freePort } from '../kit/free-port.ts';
import { linkOf, type OpenPage, openBrowser, seriousFindings, startDaemon, type TestDaemon } from './kit.ts';

describe.skipIf(!hasBrowser)(`decisions of the person, in Chromium${NEEDS_BROWSER}`, () => {
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
  const at = (path: string) => page.goto(`http://${daemon.http}/#/demo${path}`);
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });

  beforeAll(async () => {
    const env = { RELAY_HTTP_PORT: String(await freePort()) };
    daemon = await startDaemon({ settings: UNGOVERNED, env });
    browser = await openBrowser();
    opened = await browser.open(await linkOf(daemon));
    page = opened.page;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    for (const relay of clients) await relay.close();
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  /** An agent in a terminal, whose CLI asks for permission. */
  const asker = async (name: string) => {
    const relay = await join(name, { cli: 'codex', paths: ['native'] });
    const program = { pid: 1, mark: 'none' };
    const run = `run_${name}`;
    await relay.request('HOST', { run, cli: 'codex', cwd: '/', host: program, program, startedAt: 1 });
    const given: string[] = [];
    relay.on('terminal.command', ({ command }) => {
      if (command.kind !== 'answer') return;
      given.push(`${command.answer} ${command.key}`);
      void relay.request('PROMPT_REPORT', { run, answered: { request: command.request, isSent: true } });
    });
    return {
      relay,
      given,
      asks: (key: string, command: string, description?: string) =>
        relay.request('PROMPT_REPORT', {
          run,
          prompt: { key, ask: { kind: 'command', command, description } },
        }),
    };
  };

  it('have one state word and the same buttons on the overview, on the agent’s page and by its terminal', async () => {
    const { relay, given, asks } = await asker('Migrate');
    await relay.paths.ready('native');
    await row('Migrate')
      .getByText(/^(Idle|Working) · codex/)
      .waitFor();
    await asks('a', 'psql shop -c "delete from carts"', 'Clears the carts');
    await row('Migrate').getByText('Needs you · codex').waitFor();
    await page.getByText(/^1 needs you/).waitFor();
    await page.getByRole('button', { name: 'Needs you 1' }).waitFor();
    await waiting().getByText('psql shop -c "delete from carts"').waitFor();
    await at('/agent/Migrate');
    const heading = page.locator('.agent-head');
    await heading.getByText('Needs you', { exact: true }).waitFor();
    const allow = page.getByRole('button', { name: 'Allow Migrate, once' });
    await expect.poll(() => allow.isEnabled()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await at('/terminal/Migrate');
    await page.getByRole('heading', { name: 'Migrate' }).waitFor();
    await waiting().getByText('psql shop -c "delete from carts"').waitFor();
    await page.getByText('Needs you · codex').waitFor();
    await allow.click();
    await expect.poll(() => given).toEqual(['allow a']);
    await page.getByText('Allowed Migrate, once. Its CLI has the answer.').waitFor();
    await allow.waitFor({ state: 'detached' });
    await at('/agent/Migrate');
    await heading.getByText('Needs you', { exact: true }).waitFor({ state: 'detached' });
  });

  it.each([
    ['a desk', { width: 1440, height: 900 }],
    ['a phone', { width: 390, height: 844 }],
  ])('can allow only what was read to its end, on %s', async (_size, viewport) => {
    await page.setViewportSize(viewport);
    const { given, asks } = await asker(`Reader${viewport.width}`);
    const name = `Reader${viewport.width}`;
    await asks(
      'b',
      ['ls', ...Array<string>(200).fill(''), 'rm -r /', ...Array<string>(90).fill('x')].join('\n'),
    );
    await at(`/agent/${name}`);
    const text = page.getByRole('region', { name: `What ${name} asks for` });
    await text.getByText('(200 empty lines)').waitFor();
    const allow = page.getByRole('button', { name: `Allow ${name}, once` });
    const deny = page.getByRole('button', { name: `Deny ${name}` });
    await expect.poll(() => deny.isEnabled()).toBe(true);
    expect(await allow.isDisabled()).toBe(true);
    await page.getByText('Read to the end to allow it.').waitFor();
    for (const part of [text, allow, deny]) {
      const { x, width } = (await part.boundingBox()) ?? { x: 0, width: Number.NaN };
      expect(x + width).toBeLessThanOrEqual(viewport.width);
    }
    await text.focus();
    await page.keyboard.press('End');
    await expect.poll(() => allow.isEnabled()).toBe(true);
    // Another text has to be read again.
    await asks('c', Array<string>(100).fill('y').join('\n'));
    await text.getByText('100  y').waitFor();
    await expect.poll(() => deny.isEnabled()).toBe(true);
    expect(await allow.isDisabled()).toBe(true);
    await allow.evaluate((button) => (button as HTMLButtonElement).click());
    await deny.click();
    await expect.poll(() => given).toEqual(['deny c']);
    await page.setViewportSize({ width: 1280, height: 800 });
    await at('');
  });

  it('are off while the daemon is away, never kept for later, and a call that ended with it says so', async () => {
    const ran: string[] = [];
    const ops = await join('Ops');
    await ops.exposeTool({
      name: 'deploy',
      description: 'Deploys',
      input: z.object({ target: z.string() }),
      consent: true,
      handler: ({ input }) => void ran.push(input.target),
    });
    const carol = await join('Carol');
    await carol.send(me, 'Which port?', { kind: 'question' });
    const caller = await join('Caller');
    const lost = expect(caller.call('Ops.deploy', { target: 'one' })).rejects.toMatchObject({
      code: 'Connection',
    });
    const allow = page.getByRole('button', { name: 'Allow the call' });
    await expect.poll(() => allow.isEnabled()).toBe(true);
    expect(await count()).toBe('2');
    await daemon.kill9();
    await lost;
    await page.getByText('The daemon does not answer.').waitFor();
    await expect.poll(() => allow.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Deny the call' }).isDisabled()).toBe(true);
    const answer = page.getByRole('textbox', { name: 'Answer Carol' });
    expect(await page.getByRole('button', { name: 'Answer', exact: true }).isDisabled()).toBe(true);
    await waiting().getByText('Off until the daemon answers again.').first().waitFor();
    await allow.evaluate((button) => (button as HTMLButtonElement).click());
    await answer.fill('3888');
    await page.keyboard.press('Enter');
    await daemon.start();
    await page.getByText('The daemon does not answer.').waitFor({ state: 'detached' });
    await allow.waitFor({ state: 'detached' });
    await expect.poll(count).toBe('1');
    expect(await answer.inputValue()).toBe('3888');
    const { stdout } = await daemon.cli(['inbox', '--all', '--json']);
    expect(stdout).toContain('the daemon was restarted, and the call ended with it');
    expect(ran).toEqual([]);
    expect((await carol.inbox()).messages).toEqual([]);
    // Also not by the message itself.
    const [question] = (
      JSON.parse(stdout) as { messages: Array<{ id: string; content: string }> }
    ).messages.filter(({ content }) => content.includes('Ops.deploy'));
    const replied = await daemon.cli(['send', '--reply-to', question?.id ?? '', 'yes']);
    expect(replied.stderr).toContain('has ended, or was decided before');
    await page.keyboard.press('Enter');
    await expect.poll(count).toBe('0');
  });

  it('are counted by the daemon, like everything with a number', async () => {
    const alice = await join('Alice');
    for (let number = 0; number < 700; number++) await alice.send('Ops', `Part ${number}`);
    await page.reload();
    const total = async () => {
      await using owner = await client(daemon);
      const { counts } = await owner.messageCounts();
      return counts.reduce((sum, one) => sum + one, 0);
    };
    const shown = (await total()).toLocaleString('en-US');
    await page.getByText(`${shown} messages in the last hour`).waitFor();
    await page
      .getByRole('region', { name: 'Who talks to whom' })
      .getByText(new RegExp(`^${shown} in an hour · peak`))
      .waitFor();
    await at('/agent/Alice');
    await page.getByText(/^700 in an hour · peak/).waitFor();
  });

  it('logged nothing to the console', () => {
    // While the daemon is away the browser itself complains about the refused connection.
    expect(opened.errors.filter((error) => !/ERR_CONNECTION_REFUSED|WebSocket/.test(error))).toEqual([]);
  });
});
