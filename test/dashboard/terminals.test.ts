import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { PROGRAM } from '../kit/cli.ts';
import { freePort } from '../kit/free-port.ts';
import { SCRIPTED_CLI } from '../kit/scripted-cli.ts';
import { startTerminal } from '../kit/terminal.ts';
import { linkOf, type OpenPage, openBrowser, seriousFindings, startDaemon, type TestDaemon } from './kit.ts';

const POLL = { timeout: 20_000, interval: 100 };

describe.skipIf(!hasBrowser)(`terminals, in Chromium${NEEDS_BROWSER}`, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    const shell = { command: ['bash', '--norc', '--noprofile'], screen: { composer: '^never' } };
    const env = { RELAY_HTTP_PORT: String(await freePort()) };
    daemon = await startDaemon({ settings: { clis: { ...SCRIPTED_CLI, shell } }, env });
    browser = await openBrowser();
    opened = await browser.open(await linkOf(daemon));
    page = opened.page;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    await daemon?.cli(['release', '--all']);
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  const spawn = async (name: string, cli = 'shell') => {
    const { code, stderr } = await daemon.cli(['spawn', name, cli, '--wait', '2s'], {
      env: { PS1: 'ready$ ', TERM: 'xterm-256color' },
    });
    expect(stderr).toBe('');
    expect(code).toBe(0);
  };
  /** The rows of the terminal, as drawn. */
  const shown = (on = page) =>
    on
      .locator('.xterm-rows > div')
      .allTextContents()
      .then((rows) => rows.map((row) => row.trimEnd()).join('\n'));
  const until = (wanted: RegExp, on = page) => expect.poll(() => shown(on), POLL).toMatch(wanted);
  const show = async (name: string, on = page) => {
    await on.goto(`http://${daemon.http}/#/demo/terminal/${name}`);
    await on.reload();
    await on.locator('.xterm-rows').waitFor();
  };
  const drive = async (on = page) => {
    await on.getByRole('button', { name: 'Type here' }).click();
    await on.getByRole('button', { name: 'Stop typing' }).waitFor();
  };
  const type = async (text: string, on = page) => {
    await on.keyboard.type(text);
    await on.keyboard.press('Enter');
  };

  it('loads the emulator only when a terminal is opened', async () => {
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(loaded.filter((url) => url.includes('terminal-view'))).toEqual([]);
    await spawn('Shell');
    await page.getByRole('link', { name: 'Terminal of Shell' }).click();
    await until(/ready\$/);
    await page.goto(`http://${daemon.http}/#/demo`);
    // Nobody knows this screen, so it waits for the person.
    await page
      .getByRole('region', { name: /Waiting for you/ })
      .getByRole('link', { name: 'Open terminal' })
      .click();
    await until(/ready\$/);
    await page.goto(`http://${daemon.http}/#/demo/agent/Shell`);
    await page.getByRole('main').getByRole('link', { name: 'Terminal', exact: true }).click();
    await until(/ready\$/);
    expect(loaded.filter((url) => url.includes('terminal-view'))).not.toEqual([]);
  });

  it('watches without typing, and types when the person asks to', async () => {
    await show('Shell');
    await until(/ready\$/);
    await page.locator('.xterm-screen').click();
    await page.keyboard.type('echo unheard');
    await drive();
    await type('echo $((6*7)) heard; stty size');
    await until(/^42 heard$/m);
    expect(await shown()).not.toContain('unheard');
    const [, rows, columns] = /^(\d+) (\d+)$/m.exec(await shown()) ?? [];
    expect(Number(columns)).toBeGreaterThan(100);
    expect(Number(rows)).toBeGreaterThan(30);
    expect((await daemon.cli(['audit', '--json'])).stdout).toContain('terminal.attached');
  });

  it('shows all colours, though the page allows no inline styles', async () => {
    await type("clear; printf '\\e[38;2;250;120;40;48;2;0;0;90mtrue\\e[0m \\e[31mred\\e[0m\\n'");
    await until(/^true red$/m);
    const colourOf = (text: string) =>
      page
        .locator('.xterm-rows span', { hasText: new RegExp(`^${text}$`) })
        .evaluate((cell) => [getComputedStyle(cell).color, getComputedStyle(cell).backgroundColor]);
    expect(await colourOf('true')).toEqual(['rgb(250, 120, 40)', 'rgb(0, 0, 90)']);
    expect(await colourOf('red')).toEqual(['rgb(240, 133, 123)', 'rgba(0, 0, 0, 0)']);
  });

  it('leaves the terminal by keyboard', async () => {
    await page.keyboard.press('Control+]');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent), POLL)
      .toBe('Stop typing');
  });

  it('shows one screen when it changes hands before the last one was drawn', async () => {
    await spawn('Twice');
    await show('Twice');
    await drive();
    await type('clear; echo only $((0+1))');
    await until(/^only 1$/m);
    await page.getByRole('button', { name: 'Stop typing' }).click();
    await using slow = await browser.open(await linkOf(daemon));
    await slow.page.getByRole('heading', { name: 'Overview' }).waitFor();
    // A browser with much to do: the emulator does not get to draw until it is let.
    await slow.page.addInitScript(() => {
      const soon = window.setTimeout;
      let held: Array<() => void> | undefined = [];
      const later = (work: () => void, delay = 0, ...more: unknown[]) => {
        const isDrawing = delay === 0 && new Error().stack?.includes('terminal-view');
        return isDrawing && held ? held.push(work) : soon(work, delay, ...more);
      };
      const draw = () => {
        const waiting = held ?? [];
        held = undefined;
        for (const work of waiting) work();
      };
      Object.assign(window, { setTimeout: later, draw });
    });
    await show('Twice', slow.page);
    await drive(slow.page);
    await slow.page.evaluate(() => (window as unknown as { draw: () => void }).draw());
    await until(/^only 1$/m, slow.page);
    await type('echo drawn $((0+1))', slow.page);
    await until(/^drawn 1$/m, slow.page);
    expect((await shown(slow.page)).match(/only 1/g)).toHaveLength(1);
    expect(slow.errors).toEqual([]);
    await daemon.cli(['release', 'Twice']);
  });

  it('has one writer, and takes over only when told to; a viewer resizes nothing', async () => {
    await show('Shell');
    await drive();
    await using other = await browser.open(await linkOf(daemon), {
      viewport: { width: 390, height: 800 },
      hasTouch: true,
    });
    await other.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await show('Shell', other.page);
    await type('clear; echo size $(stty size)');
    await until(/^size \d+ \d{3}$/m);
    const before = /size \d+ \d+/.exec(await shown())?.[0];
    await until(new RegExp(`^${before}$`, 'm'), other.page);
    await other.page.getByRole('button', { name: 'Type here' }).click();
    await other.page.getByText('Someone else is typing in the terminal of Shell').waitFor();
    await type('clear; echo again: size $(stty size)');
    await until(new RegExp(`^again: ${before}$`, 'm'));
    await other.page.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('Someone else took over this terminal. You are watching.').waitFor();
    await other.page.getByRole('button', { name: 'Stop typing' }).waitFor();
    await type('clear; echo phone $(stty size)', other.page);
    await until(/^phone \d+ 80$/m, other.page);
    await until(/^phone \d+ 80$/m);
    // The keys a phone lacks.
    await other.page.keyboard.type('echo asleep; sleep 600');
    await other.page.getByRole('button', { name: 'Enter', exact: true }).click();
    // A terminal drops what a shell has not read when Ctrl+C comes.
    await until(/^asleep$/m, other.page);
    await other.page.getByRole('button', { name: 'Ctrl, for the next key' }).click();
    await other.page.keyboard.type('c');
    await other.page.getByRole('button', { name: 'Up', exact: true }).click();
    await until(/\^C\s+ready\$ echo asleep; sleep 600/, other.page);
    await other.page.getByRole('button', { name: 'Ctrl, for the next key' }).click();
    await other.page.keyboard.type('u');
    expect(await seriousFindings(other.page)).toEqual([]);
    expect(other.errors).toEqual([]);
  });

  it('holds messages while the person wants it', async () => {
    const reason = async () => {
      const { stdout } = await daemon.cli(['who', '--json']);
      const agents = JSON.parse(stdout) as Array<{
        name: string;
        paths: Array<{ reason?: { code: string } }>;
      }>;
      return agents.find(({ name }) => name === 'Held')?.paths[0]?.reason?.code;
    };
    await spawn('Held', 'scripted');
    await show('Held');
    await page.getByRole('button', { name: 'Hold messages' }).click();
    await page.getByText('Messages to Held are held').waitFor();
    await expect.poll(reason, POLL).toBe('held_by_viewer');
    await drive();
    await expect.poll(reason, POLL).toBe('held_by_viewer');
    await page.getByRole('button', { name: 'Deliver messages' }).click();
    await expect.poll(reason, POLL).not.toBe('held_by_viewer');
    await daemon.cli(['release', 'Held']);
  });

  it('draws what a program prints, and nothing else', async () => {
    const heard = join(daemon.directory, 'heard');
    const attack = join(daemon.directory, 'attack.sh');
    const queries = [
      '\\e[c',
      '\\e[>c',
      '\\e[=c',
      '\\e[5n',
      '\\e[6n',
      '\\e[?6n',
      '\\e[?25$p',
      '\\e[4$p',
      '\\e[18t',
      '\\e[14t',
    ];
    const asked = [
      '\\e[>q',
      '\\e[?u',
      '\\eP$qm\\e\\\\',
      '\\eP+q544e\\e\\\\',
      '\\e]11;?\\a',
      '\\e]4;1;?\\a',
      '\\e[?1004h',
      '\\e[x',
    ];
    const reaches = [
      '\\e]0;HACKED\\a',
      '\\e]52;c;SEFDS0VE\\a',
      '\\e]8;;javascript:window.hacked=1\\e\\\\a link\\e]8;;\\e\\\\',
      '\\e]8;;https://evil.example/\\e\\\\another\\e]8;;\\e\\\\',
      '\\ePtmux;x\\e\\\\',
      '\\e_apc\\e\\\\',
      '\\e^pm\\e\\\\',
      '<img src=x onerror=window.hacked=1>',
    ];
    await writeFile(
      attack,
      `stty raw -echo\nprintf '${[...queries, ...asked, ...reaches].join('')}'\n` +
        `timeout 2 cat > '${heard}'\nstty sane\nprintf '\\e[?1004l\\r\\nattacked\\r\\n'\n`,
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(() => navigator.clipboard.writeText('mine'));
    await show('Shell');
    await drive();
    await type(`clear; bash ${attack}`);
    await until(/<img src=x[\s\S]*attacked/);
    expect(await readFile(heard, 'utf8')).toBe('');
    expect(await page.title()).not.toContain('HACKED');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
    expect(await page.locator('.xterm a, .xterm img, .xterm .xterm-underline-5').count()).toBe(0);
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
  });

  it('keeps up with a flood: shows the final screen', async () => {
    let received = 0;
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => {
        received += payload.length;
      });
    });
    await show('Shell');
    await drive();
    const over = join(daemon.directory, 'over');
    await type(
      `clear; head -c 40000000 /dev/zero | tr '\\\\0' 'x' | fold -w 70; echo; echo all printed; touch ${over}`,
    );
    // A page that stands still meanwhile, as in a browser with much to do.
    await expect.poll(() => received, POLL).toBeGreaterThan(500_000);
    const session = await page.context().newCDPSession(page);
    await session.send('Debugger.enable');
    await session.send('Debugger.pause');
    await expect.poll(() => existsSync(over), { timeout: 60_000 }).toBe(true);
    await session.send('Debugger.resume');
    await session.send('Debugger.disable');
    await expect.poll(() => shown(), { timeout: 60_000, interval: 200 }).toMatch(/^all printed$/m);
    // What was in buffers when it stood still, and the last screen. In base64, all of it would be 53 MB.
    expect(received).toBeLessThan(20_000_000);
    await type('clear; echo still here');
    await until(/^still here$/m);
  });

  it('shows the current screen again after the daemon was away', async () => {
    await show('Shell');
    await drive();
    await daemon.kill9();
    await page.getByText('The terminal will reconnect.').waitFor();
    await daemon.start();
    await page.getByText('The terminal will reconnect.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop typing' }).waitFor();
    await page.locator('.xterm-screen').click();
    await type('clear; echo $((40+2)) after');
    await until(/^42 after$/m);
  });

  it('says how the program ended, and shows the next one', async () => {
    await show('Shell');
    await drive();
    await type('clear; echo last words; exit 3');
    await page.getByText('The program of Shell has ended with exit code 3.').waitFor();
    await until(/last words/);
  });

  it('has no accessibility problems, in light and dark', async () => {
    await spawn('Second');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await show('Second');
      await until(/ready\$/);
      expect(await seriousFindings(page)).toEqual([]);
    }
    await page.getByRole('button', { name: 'Screen reader' }).click();
    await drive();
    await type('echo spoken');
    await page.locator('.xterm-accessibility').getByText('spoken', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Screen reader' }).click();
  });

  it('takes the keys that follow the click, from the first one', async () => {
    await show('Second');
    await until(/ready\$/);
    await page.getByRole('button', { name: 'Type here' }).click();
    await type('echo from the first');
    await until(/^from the first$/m);
  });

  it('shows the terminal of agent-relay run in the size it has', async () => {
    await using own = startTerminal(
      [process.execPath, PROGRAM, 'run', '--name', 'Runner', '--', 'bash', '--norc', '--noprofile'],
      {
        cwd: daemon.projectDirectory,
        columns: 100,
        rows: 30,
        env: { ...daemon.env, TERM: 'xterm-256color', PS1: 'ready$ ' },
      },
    );
    await own.until(/ready\$/);
    await page.goto(`http://${daemon.http}/#/demo/terminal`);
    await page
      .getByRole('main')
      .getByRole('link', { name: /Runner/ })
      .click();
    await until(/ready\$/);
    // Whoever sits there types, until somebody takes over.
    await page.getByRole('button', { name: 'Type here' }).click();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('button', { name: 'Stop typing' }).waitFor();
    await type('stty size');
    await until(/^30 100$/m);
    await own.until(/^30 100$/m);
    own.type('e');
    await page.getByText('Someone else took over this terminal. You are watching.').waitFor();
    own.type('xit\r');
    await page.getByText('The program of Runner has ended').waitFor();
  });

  it('releases all agents it started, after asking', async () => {
    await spawn('Third');
    await page.goto(`http://${daemon.http}/#/demo/terminal`);
    await page.getByRole('main').getByRole('link', { name: /Third/ }).waitFor();
    await page.getByRole('button', { name: 'Release all' }).click();
    await page.getByRole('dialog').getByText('Second, Third').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Release all' }).click();
    await page.getByRole('button', { name: 'Release all 2' }).click();
    await page.getByText('Released 2 agents.').waitFor();
    await page.getByRole('heading', { name: 'No agent runs in a terminal of the relay' }).waitFor();
  });

  it('logged nothing to the console', () => {
    // While the daemon is away the browser itself complains about the refused connection.
    expect(opened.errors.filter((error) => !/ERR_CONNECTION_REFUSED|WebSocket/.test(error))).toEqual([]);
  });
});
