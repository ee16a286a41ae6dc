import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { personName } from '@agent-relay/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../e2e/messaging/commands.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { freePort } from '../kit/free-port.ts';
import { json, output } from '../kit/results.ts';
import { linkOf, openBrowser, startDaemon, type TestDaemon } from './kit.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { RELAY_HTTP_PORT: String(await freePort()) } });
});
afterAll(() => daemon?.[Symbol.asyncDispose]());

const signIn = (code: string, headers: Record<string, string> = {}) =>
  fetch(`http://${daemon.http}/api/page/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ code }),
  });
const codeOf = (link: string) => link.split('#code=')[1] ?? '';

/** All files below a directory, in one piece. */
async function everythingIn(directory: string): Promise<Buffer> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
}

describe('the page', () => {
  it('is served to everyone, and contains no data', async () => {
    const response = await fetch(`http://${daemon.http}/`);
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe/);
    const shell = await response.text();
    expect(shell).not.toContain(daemon.project);
    for (const [, path] of shell.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)) {
      const asset = await fetch(`http://${daemon.http}${path}`);
      expect(asset.status, path).toBe(200);
      expect(asset.headers.get('cache-control')).toContain('immutable');
    }
  });

  it('is small enough', async () => {
    const shell = await (await fetch(`http://${daemon.http}/`)).text();
    let bytes = 0;
    for (const [, path] of shell.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)) {
      const asset = await fetch(`http://${daemon.http}${path}`, { headers: { 'Accept-Encoding': 'gzip' } });
      bytes += Number(asset.headers.get('content-length'));
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(120 * 1024);
  });
});

describe('a link', () => {
  it('is the only thing printed, and works once', async () => {
    const printed = output(await daemon.cli(['dashboard', '--no-open']));
    expect(printed).toMatch(new RegExp(`^http://${daemon.http}/#code=pc_[\\w-]{43}\\n$`));
    const code = codeOf(printed.trim());
    const first = await signIn(code);
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({ project: 'demo', session: expect.stringMatching(/^ps_/) });
    const second = await signIn(code);
    expect(second.status).toBe(401);
    expect(await second.json()).toMatchObject({
      error: { code: 'Unauthorized', next: expect.stringContaining('agent-relay dashboard') },
    });
  });

  it('is exchanged by JSON only, and not by foreign pages', async () => {
    const code = codeOf(await linkOf(daemon));
    expect((await signIn(code, { 'Content-Type': 'text/plain' })).status).toBe(400);
    expect((await signIn(code, { Origin: 'http://evil.example' })).status).toBe(403);
    expect((await fetch(`http://${daemon.http}/api/page/session`)).status).toBe(400);
    expect((await signIn(code)).status).toBe(200);
  });

  it('is not for agents', async () => {
    await using agent = await client(daemon, { name: 'Alice' });
    await expect(agent.request('PAGE_LINK', {})).rejects.toMatchObject({ code: 'Forbidden' });
  });
});

describe('a session', () => {
  it('is the owner and their person, is kept as a hash, and is audited', async () => {
    const { session } = (await (await signIn(codeOf(await linkOf(daemon)))).json()) as { session: string };
    await using page = await client(daemon, {
      url: `ws://${daemon.http}/ws`,
      page: { session },
      env: {},
    });
    expect(page.welcome).toMatchObject({ project: 'demo', agent: { name: personName(), type: 'human' } });
    expect(await page.held.list()).toEqual([]);
    expect((await page.status()).pid).toBe(daemon.pid);
    await using bob = await client(daemon, { name: 'Bob' });
    await page.send('Bob', 'From the page.');
    expect((await bob.inbox()).messages).toMatchObject([{ from: personName(), fromType: 'human' }]);
    expect(output(await daemon.cli(['send', 'Bob', 'From the terminal.']))).toContain('sent');
    expect((await bob.inbox()).messages).toMatchObject([
      { from: personName(), content: 'From the terminal.' },
    ]);
    const actions = json(await daemon.cli(['audit', '--json'])).map(
      ({ action }: { action: string }) => action,
    );
    expect(actions).toEqual(expect.arrayContaining(['page.link_created', 'page.signed_in']));
    expect(JSON.stringify(json(await daemon.cli(['dashboard', 'sessions', '--json'])))).not.toContain(
      session,
    );
    const [, id = '', secret = ''] = /^ps_([^_]+)_(.+)$/.exec(session) ?? [];
    const stored = await everythingIn(daemon.directory);
    // The id is not secret, so it is there: the right files were read.
    expect(stored.includes(id)).toBe(true);
    expect(stored.includes(secret)).toBe(false);
  });

  it('enters other projects of the daemon', async () => {
    const { session } = (await (await signIn(codeOf(await linkOf(daemon)))).json()) as { session: string };
    await using owner = await client(daemon);
    await owner.request('WORKSPACE_CREATE', { name: 'other' });
    const at = { url: `ws://${daemon.http}/ws`, env: {} };
    await using page = await client(daemon, { ...at, page: { session, project: 'other' } });
    expect(page.project).toBe('other');
    await expect(client(daemon, { ...at, page: { session: `${session}x` } })).rejects.toMatchObject({
      code: 'Unauthorized',
    });
  });
});

describe.skipIf(!hasBrowser)(`in Chromium${NEEDS_BROWSER}`, () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  it('a link signs in once, keeps nothing in the address, and lasts across a restart', async () => {
    const link = await linkOf(daemon);
    await using first = await browser.open(link);
    await first.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(first.page.url()).toBe(`http://${daemon.http}/#/demo`);
    expect(await first.page.evaluate(() => document.cookie)).toBe('');

    await using second = await browser.open(link);
    await second.page.getByRole('heading', { name: /already used/ }).waitFor();
    expect(await second.page.textContent('main')).toContain('agent-relay dashboard');

    // In the browser that used it, it leads on.
    const again = await first.context.newPage();
    await again.goto(link);
    await again.getByRole('heading', { name: /already used/ }).waitFor();
    await again.getByRole('button', { name: 'Open the dashboard' }).click();
    await again.getByRole('heading', { name: 'Overview' }).waitFor();
    await again.close();
    expect(await second.page.getByRole('button', { name: 'Open the dashboard' }).count()).toBe(0);

    await daemon.stop();
    await first.page.getByText('The daemon does not answer').waitFor();
    await daemon.start();
    await first.page.getByText('The daemon does not answer').waitFor({ state: 'detached' });
    await first.page.reload();
    await first.page.getByRole('heading', { name: 'Overview' }).waitFor();
    // The browser itself tells of the connections that were refused, and of the link.
    expect(first.errors.filter((text) => !/WebSocket connection|ERR_CONNECTION/.test(text))).toEqual([]);
  });

  it('a session that is revoked ends at once', async () => {
    await using opened = await browser.open(await linkOf(daemon));
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    const session = await opened.page.evaluate(() => localStorage.getItem('agent-relay.session'));
    const [, id = ''] = session?.split('_') ?? [];
    output(await daemon.cli(['dashboard', 'sessions', 'revoke', id]));
    await opened.page.getByRole('heading', { name: 'This browser was signed out.' }).waitFor();
    expect(await opened.page.evaluate(() => localStorage.getItem('agent-relay.session'))).toBeNull();
    await opened.page.reload();
    await opened.page.getByRole('heading', { name: 'Sign in to Agent Relay' }).waitFor();
  });

  it('a page of another port gets neither data nor the session', async () => {
    await using opened = await browser.open(await linkOf(daemon));
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    const server = createServer((_request, response) => response.end('<!doctype html><title>Other</title>'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const other = await opened.context.newPage();
    await other.goto(`http://127.0.0.1:${port}/`);
    const outcome = await other.evaluate(async (host) => {
      const stored = localStorage.getItem('agent-relay.session');
      const read = await fetch(`http://${host}/`).then(
        () => 'read',
        () => 'refused',
      );
      const socket = await new Promise((resolve) => {
        const opening = new WebSocket(`ws://${host}/ws`);
        opening.onopen = () => resolve('open');
        opening.onerror = () => resolve('refused');
      });
      return { stored, read, socket };
    }, daemon.http);
    expect(outcome).toEqual({ stored: null, read: 'refused', socket: 'refused' });
    server.close();
  });
});
