import { personName, type Relay } from '@agent-relay/sdk/node';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { client } from '../e2e/messaging-commands.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { SCRIPTED_CLI } from '../kit/scripted-cli.ts';
import { linkOf, type OpenPage, openBrowser, seriousFindings, startDaemon, type TestDaemon } from './kit.ts';

describe.skipIf(!hasBrowser)(`tools and programs, in Chromium${NEEDS_BROWSER}`, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;
  let page: Page;
  let bob: Relay;

  beforeAll(async () => {
    daemon = await startDaemon({ settings: { clis: SCRIPTED_CLI } });
    bob = await client(daemon, { name: 'Bob', capabilities: ['math'] });
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
      description: 'Repeats <img src=x onerror=alert(1)>',
      input: z.object({ text: z.string(), times: z.number(), loud: z.boolean().optional() }),
      handler: ({ input, agent }) => {
        callers.push(agent.name);
        const text = input.text.repeat(input.times);
        return { said: input.loud ? text.toUpperCase() : text };
      },
    });
    await page.getByRole('button', { name: /^repeat/ }).click();
    await page.getByRole('textbox', { name: /^text/ }).fill('ab');
    await page.getByRole('textbox', { name: /^times/ }).fill('many');
    await page.getByRole('button', { name: 'Call' }).click();
    await page.getByText('times is not a number.').waitFor();
    await page.getByRole('textbox', { name: /^times/ }).fill('2');
    await page.getByRole('checkbox', { name: /^loud/ }).check();
    await page.getByRole('button', { name: 'Call' }).click();
    await page.getByText('"said": "ABAB"').waitFor();
    expect(callers).toEqual([personName()]);
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.locator('main img').count()).toBe(0);
  });

  it('starts an agent by a form, and releases it', async () => {
    await page.goto(`http://${daemon.http}/#/demo`);
    await page.getByRole('button', { name: 'Start an agent' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Worker');
    await page.getByRole('combobox', { name: 'CLI' }).fill('scripted');
    await page.getByRole('textbox', { name: 'Task' }).fill('Count to three');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { name: 'Worker' }).waitFor();
    await page
      .getByText('Running', { exact: true })
      .or(page.getByText(/^Running/))
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('button', { name: 'End its program?' }).click();
    await page.getByText('Released Worker.').waitFor();
    await expect.poll(async () => (await bob.who()).map(({ name }) => name)).not.toContain('Worker');
  });

  it('notifies of a question while the page is not in front, if the person wants that', async () => {
    await opened.context.grantPermissions(['notifications'], { origin: `http://${daemon.http}` });
    await page.goto(`http://${daemon.http}/#/demo/settings`);
    await page.evaluate(() => {
      const told: string[] = [];
      Object.assign(window, {
        told,
        Notification: class {
          static async requestPermission(): Promise<string> {
            return 'granted';
          }
          constructor(title: string) {
            told.push(title);
          }
          close() {
            return undefined;
          }
        },
      });
      document.hasFocus = () => false;
    });
    await page.getByRole('checkbox', { name: /Notify me/ }).check();
    await bob.send(personName(), 'Which one?', { kind: 'question' });
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { told: string[] }).told))
      .toEqual(['Bob asks']);
  });

  it('said nothing to the console', () => {
    expect(opened.errors).toEqual([]);
  });
});
