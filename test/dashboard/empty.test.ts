import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../e2e/messaging/commands.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { linkOf, type OpenPage, openBrowser, seriousFindings, startDaemon, type TestDaemon } from './kit.ts';

describe.skipIf(!hasBrowser)(`empty places, in Chromium${NEEDS_BROWSER}`, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;
  let page: Page;
  const at = (path: string) => page.goto(`http://${daemon.http}/#/demo${path}`);
  const commands = () => page.locator('main .command code').allTextContents();

  beforeAll(async () => {
    daemon = await startDaemon();
    browser = await openBrowser();
    opened = await browser.open(await linkOf(daemon));
    page = opened.page;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  it.each([
    ['', 'Connect your first agent', 'agent-relay run --name Alice -- claude'],
    ['/activity', 'No messages in this project yet', 'agent-relay send "*" "Hello, who is there?"'],
    ['/channel/empty', 'No messages in #empty yet', 'agent-relay send "#empty" "Hello"'],
    ['/direct/Bob', 'No messages with Bob yet', 'agent-relay send Bob "Hello"'],
    ['/direct/Bob,Carl', 'No messages with Bob, Carl yet', 'agent-relay send Bob,Carl "Hello"'],
    [
      '/search',
      'Search all messages of this project',
      'agent-relay search checkout --channel release --since 2h',
    ],
    ['/terminal', 'No agent runs in a terminal of the relay', 'agent-relay run --name Alice -- claude'],
    ['/terminal/Bob', 'Bob does not run in a terminal of the relay', 'agent-relay run --name Bob -- codex'],
    ['/agent/Nobody', 'No agent is named Nobody', 'agent-relay run --name Nobody -- claude'],
    ['/terminal/Nobody', 'No agent is named Nobody', 'agent-relay run --name Nobody -- claude'],
    ['/tools', 'No tools yet', 'agent-relay restart --mcp-servers mcp-servers.json'],
  ])('say what to do: %s', async (path, heading, command) => {
    if (path === '/channel/empty') {
      // Everything but the first two places needs an agent.
      await using bob = await client(daemon, { name: 'Bob', cli: 'codex' });
      await using _carl = await client(daemon, { name: 'Carl' });
      await bob.channels.create('empty');
    }
    await at(path);
    await page.getByRole('main').getByRole('heading', { name: heading, exact: true }).waitFor();
    expect(await commands()).toContain(command);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('show commands that the command line takes', async () => {
    await at('/agent/Nobody');
    await page.getByRole('heading', { name: 'No agent is named Nobody' }).waitFor();
    const [program = '', ...words] = (await commands())[0]?.split(' ') ?? [];
    expect(program).toBe('agent-relay');
    // All of it is understood: only the CLI is missing.
    const { code, stdout } = await daemon.cli(words, { terminal: true, env: { PATH: '/usr/bin:/bin' } });
    expect(stdout).toContain('Program not found: claude.');
    expect(code).toBe(4);
  });

  it('say so in lists, and on the page of an agent that has written nothing', async () => {
    const links = page.getByRole('navigation', { name: 'Dashboard' });
    await links.getByText('Agents appear here as soon as they connect.').waitFor();
    await at('/agent/Bob');
    await page.getByRole('link', { name: 'Write to Bob' }).click();
    await page.getByRole('textbox', { name: 'Message Bob' }).waitFor();
    await at('/between/Bob,Carl');
    await page.getByRole('heading', { name: 'Bob and Carl have not written to each other' }).waitFor();
    await at('/search/nothing-has-this');
    await page.getByText('No message contains all of these words.').waitFor();
  });

  it('offer no command that a name was made to change', async () => {
    for (const place of ['agent', 'terminal']) {
      await at(`/${place}/${encodeURIComponent('$(touch hacked);"`id`')}`);
      await page.locator('main .command code').first().waitFor();
      expect((await commands()).join(' ')).not.toMatch(/[$`;]/);
    }
  });

  it('logged nothing to the console', () => {
    expect(opened.errors).toEqual([]);
  });
});
