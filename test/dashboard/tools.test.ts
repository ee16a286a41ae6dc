import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { personName, type Relay } from '@agent-relay/sdk/node';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { client } from '../e2e/messaging/commands.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { SCRIPTED_CLI } from '../kit/scripted-cli.ts';
import { linkOf, type OpenPage, openBrowser, seriousFindings, startDaemon, type TestDaemon } from './kit.ts';

/** Runs if it is taken for a part of the page. */
const ATTACK = '<img src=x onerror="window.hacked=1">';

describe.skipIf(!hasBrowser)(`tools and programs, in Chromium${NEEDS_BROWSER}`, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;
  let page: Page;
  let bob: Relay;

  beforeAll(async () => {
    daemon = await startDaemon({ settings: { clis: SCRIPTED_CLI } });
    bob = await client(daemon, {
      name: 'Bob',
      capabilities: [{ category: 'math', description: `Adds ${ATTACK}` }],
    });
    browser = await openBrowser();
    opened = await browser.open(await linkOf(daemon));
    page = opened.page;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    await daemon?.cli(['release', '--all']);
    await bob?.close();
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  it('calls a tool by a form made from its schema', async () => {
    const callers: string[] = [];
    await page.getByRole('link', { name: 'Tools' }).first().click();
    await bob.exposeTool({
      name: 'repeat',
      description: `Repeats ${ATTACK}`,
      input: z.object({
        text: z.string(),
        times: z.number(),
        loud: z.boolean().optional(),
        style: z.object({ mark: z.enum(['!', '?']).optional() }).optional(),
        more: z.array(z.string()).optional(),
      }),
      handler: ({ input, agent }) => {
        callers.push(agent.name);
        const text = [input.text.repeat(input.times), ...(input.more ?? [])].join(' ');
        return { said: (input.loud ? text.toUpperCase() : text) + (input.style?.mark ?? '') };
      },
    });
    await page.getByText(`Adds ${ATTACK}`).waitFor();
    await page.getByRole('link', { name: /^repeat/ }).click();
    expect(page.url()).toContain('/tools/Bob.repeat');
    await page.getByRole('textbox', { name: /^text/ }).fill('ab');
    await page.getByRole('textbox', { name: /^times/ }).fill('many');
    await page.getByRole('button', { name: 'Call' }).click();
    await page.getByText('times is not a number.').waitFor();
    await page.getByRole('textbox', { name: /^times/ }).fill('2');
    await page.getByRole('checkbox', { name: /^loud/ }).check();
    await page.getByRole('combobox', { name: /^mark/ }).selectOption('!');
    await page.getByRole('textbox', { name: /^more/ }).fill('x\ny');
    await page.getByRole('button', { name: 'Call' }).click();
    await page.getByText('"said": "ABAB X Y!"').waitFor();
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByRole('textbox', { name: 'Arguments (JSON)' }).fill('{"text":"c","times":3}');
    await page.getByRole('button', { name: 'Call' }).click();
    await page.getByText('"said": "ccc"').waitFor();
    expect(callers).toEqual([personName(), personName()]);
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.locator('main img').count()).toBe(0);
  });

  it('shows the progress of a call, and cancels it', async () => {
    const ended = Promise.withResolvers<void>();
    await bob.exposeTool({
      name: 'slow',
      description: 'Takes its time',
      input: z.object({}),
      handler: ({ signal, progress }) => {
        progress(1, 4, 'first part');
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            ended.resolve();
            resolve(null);
          });
        });
      },
    });
    await page.getByRole('link', { name: /^slow/ }).click();
    await page.getByRole('button', { name: 'Call' }).click();
    await page.getByText('first part 1 of 4').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await ended.promise;
  });

  it('invokes an action, and shows who invoked what, live', async () => {
    const alice = await client(daemon, { name: 'Alice' });
    await bob.registerAction({
      name: 'notes.cut',
      description: 'Cuts a release',
      input: z.object({ version: z.string() }),
      handler: ({ input }) => {
        if (input.version === 'bad') throw new Error(`No such version ${ATTACK}`);
        return { cut: input.version };
      },
    });
    await page.getByRole('searchbox', { name: 'Filter tools' }).fill('cut');
    await page.getByRole('link', { name: /^notes.cut/ }).click();
    await page.getByRole('textbox', { name: /^version/ }).fill('7.0');
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByText('"cut": "7.0"').waitFor();
    await page.getByRole('link', { name: 'Show the invocation' }).click();
    const detail = page.getByRole('region', { name: 'notes.cut' });
    await detail.getByText('Completed').waitFor();
    await detail.getByText(personName(), { exact: true }).waitFor();
    await detail.getByText('"version": "7.0"').waitFor();

    const { invocationId } = await alice.invoke('notes.cut', { version: 'bad' }, { wait: true });
    const row = page.getByRole('link', { name: /Alice → Bob/ });
    await row.getByText('Failed').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('failed');
    await expect.poll(() => page.getByRole('link', { name: /→ Bob/ }).count()).toBe(1);
    await row.click();
    await detail.getByText(`No such version ${ATTACK}`).waitFor();
    expect(page.url()).toContain(`/invocations/${invocationId}`);
    await page.reload();
    await detail.getByText('Details').click();
    await detail.getByText('Error ToolFailed').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.locator('main img').count()).toBe(0);
    await alice.close();
  });

  it('offers in the form what agent-relay spawn has, with the CLIs of the daemon', async () => {
    await promisify(execFile)('git', ['init', '-q'], { cwd: daemon.projectDirectory });
    const git = (...args: string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        cwd: daemon.projectDirectory,
      });
    await git('commit', '-q', '--allow-empty', '-m', 'First');
    await page.goto(`http://${daemon.http}/#/demo`);
    await page.getByRole('button', { name: 'Start an agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start an agent' });
    const offered = await dialog
      .locator('select[name="cli"] option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    expect(offered.toSorted()).toEqual(
      ['claude', 'codex', 'gemini', 'opencode', 'droid', 'agent', 'scripted'].sort(),
    );
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Chosen');
    await dialog.getByRole('combobox', { name: 'CLI' }).selectOption('scripted');
    await dialog.getByText('More options').click();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('textbox', { name: 'Model' }).fill('tiny-2');
    await dialog.getByRole('checkbox', { name: /worktree/ }).check();
    await dialog.getByRole('textbox', { name: /Command to run/ }).fill('touch prepared');
    await dialog.getByRole('combobox', { name: 'Channels to join' }).fill('#release, bugs');
    await dialog.getByRole('textbox', { name: 'Arguments for the CLI' }).fill('--first\n--second word');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { name: 'Chosen' }).waitFor();
    const chosen = (await bob.who()).find(({ name }) => name === 'Chosen');
    const tree = chosen?.run?.worktree?.path ?? '';
    expect(existsSync(join(tree, 'prepared'))).toBe(true);
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
    expect(stdout).toMatch(/scripted-cli\.js.*--brain=tiny-2.*--first --second word/);
    for (const channel of ['release', 'bugs'])
      expect(await bob.channels.members(channel)).toContain('Chosen');
    await daemon.cli(['release', 'Chosen']);

    await page.goto(`http://${daemon.http}/#/demo`);
    await page.getByRole('button', { name: 'Start an agent' }).click();
    await mkdir(join(daemon.projectDirectory, 'part'));
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Placed');
    await dialog.getByRole('combobox', { name: 'CLI' }).selectOption('scripted');
    await dialog.getByText('More options').click();
    await dialog.getByRole('textbox', { name: 'Directory' }).fill('part');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { name: 'Placed' }).waitFor();
    await page.getByText(/\/part$/).waitFor();
    await daemon.cli(['release', 'Placed']);
  });

  it('says at the field why an agent cannot be started, and keeps the form', async () => {
    await page.goto(`http://${daemon.http}/#/demo`);
    await page.getByRole('button', { name: 'Start an agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start an agent' });
    const cli = dialog.getByRole('combobox', { name: 'CLI' });
    const groups = await cli.locator('optgroup').evaluateAll((all) =>
      all.map((group) => ({
        label: (group as HTMLOptGroupElement).label,
        names: [...group.querySelectorAll('option')].map(({ value }) => value),
      })),
    );
    expect(groups[0]).toMatchObject({ label: 'Installed', names: expect.arrayContaining(['scripted']) });
    expect(groups[1]).toMatchObject({
      label: expect.stringMatching(/^Not found/),
      names: expect.arrayContaining(['droid']),
    });
    const name = dialog.getByRole('textbox', { name: 'Name' });
    await name.fill('Bob');
    await cli.selectOption('scripted');
    await dialog.getByText('More options').click();
    const place = dialog.getByRole('textbox', { name: 'Directory' });
    const start = dialog.getByRole('button', { name: 'Start', exact: true });
    const problemOf = async (field: typeof name) => {
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
      return dialog.locator(`[id="${await field.getAttribute('aria-describedby')}"]`).textContent();
    };
    await start.click();
    expect(await problemOf(name)).toContain('Bob');
    expect(await seriousFindings(page)).toEqual([]);
    await name.fill('Nowhere');
    await place.fill('no/such/place');
    await dialog.getByText('More options').click();
    await start.click();
    expect(await problemOf(place)).toContain('there is no directory');
    await place.fill('');
    await cli.selectOption('droid');
    await start.click();
    expect(await problemOf(cli)).toContain('droid');
    expect(await page.locator('.notice.is-error').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('starts an agent by a form, and releases it', async () => {
    await page.goto(`http://${daemon.http}/#/demo`);
    await page.getByRole('button', { name: 'Start an agent' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Worker');
    await page.getByRole('combobox', { name: 'CLI' }).selectOption('scripted');
    await page.getByRole('textbox', { name: 'Task' }).fill('Count to three');
    // What is typed stays while the page goes on.
    await using _visitor = await client(daemon, { name: 'Visitor' });
    await page.getByText('Visitor').first().waitFor({ state: 'attached' });
    expect(await page.getByRole('combobox', { name: 'CLI' }).inputValue()).toBe('scripted');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { name: 'Worker' }).waitFor();
    await page
      .getByText('Running', { exact: true })
      .or(page.getByText(/^Running/))
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByRole('button', { name: 'End its program?' }).click();
    await page.getByText('Released Worker.').waitFor();
    await expect.poll(async () => (await bob.who()).map(({ name }) => name)).not.toContain('Worker');
  });

  it('logged nothing to the console, and ran nothing', async () => {
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    expect(opened.errors).toEqual([]);
  });
});
