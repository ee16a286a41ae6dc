import type { Relay } from '@agent-relay/sdk/node';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../e2e/messaging/commands.ts';
import { seededRandom } from '../faults/fault.ts';
import { hasBrowser, NEEDS_BROWSER } from '../kit/browser.ts';
import { UNGOVERNED } from '../kit/daemon.ts';
import { linkOf, openBrowser, startDaemon, type TestDaemon } from './kit.ts';

/** `npm run test:links` looks at more of everything. */
const isLong = process.env.LINKS === 'all';
const MESSAGES = isLong ? 10_000 : 1_500;
/** Links that are opened in each viewport. */
const TARGETS = isLong ? 100 : 4;
/** Steps up and down by wheel or touch, and by keys. */
const STEPS = isLong ? 40 : 7;
const OPTIONS = isLong ? { timeout: 1_800_000 } : {};
/** Sent at a time. */
const BATCH = 500;

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const VIEWPORTS = isLong
  ? [DESK, { width: 1024, height: 768 }, PHONE, { width: 320, height: 568 }]
  : [DESK, PHONE];
const isPhone = ({ width }: { width: number }): boolean => width < 760;

/** Messages of all heights: a word, a paragraph, a list, code, a table, and one so long that it is folded. */
function contentOf(number: number, next: () => number): string {
  const words = (count: number) => 'Pack my box with five dozen jugs. '.repeat(count);
  const lines = Math.floor(next() * 8) + 1;
  const shapes = [
    () => 'Yes.',
    () => words(lines * 3),
    () => Array.from({ length: lines }, (_, line) => `- point ${line}: ${words(1)}`).join('\n'),
    () => `\`\`\`js\n${'const answer = 42;\n'.repeat(lines)}\`\`\``,
    () => `| name | value |\n|---|---|\n${'| a | b |\n'.repeat(lines)}`,
    () => (next() < 0.2 ? words(lines * 30) : words(2)),
  ];
  return `number${number} ${shapes[Math.floor(next() * shapes.length)]?.()}`;
}

/** Where the marked message is in the frame, in pixels. */
const placeOfTarget = (page: Page) =>
  page.evaluate(() => {
    const frame = document.querySelector('[role=log]') as HTMLElement;
    const row = frame.querySelector('[aria-current=true]') as HTMLElement;
    const { top, height } = row.getBoundingClientRect();
    const box = frame.getBoundingClientRect();
    return {
      id: row.id,
      top: top - box.top,
      height,
      frame: frame.clientHeight,
      above: frame.scrollTop,
      below: frame.scrollHeight - frame.scrollTop - frame.clientHeight,
    };
  });

/** Waits until nothing is read and nothing has moved for some frames. */
const settled = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let last = '';
        let same = 0;
        const look = () => {
          const frame = document.querySelector('[role=log]');
          const now = `${frame?.scrollTop} ${frame?.scrollHeight} ${frame?.getAttribute('aria-busy')}`;
          same = now === last && frame?.getAttribute('aria-busy') === 'false' ? same + 1 : 0;
          last = now;
          if (same >= 4) resolve();
          else requestAnimationFrame(look);
        };
        look();
      }),
  );

/** The row in the middle of the frame, and its distance from the top of it. */
const middleRow = (page: Page) =>
  page.evaluate(() => {
    const frame = document.querySelector('[role=log]') as HTMLElement;
    const box = frame.getBoundingClientRect();
    const middle = box.top + frame.clientHeight / 2;
    const rows = [...frame.querySelectorAll('article')];
    const row = rows.find((one) => one.getBoundingClientRect().bottom > middle) ?? rows.at(-1);
    return { id: row?.id ?? '', top: (row?.getBoundingClientRect().top ?? 0) - box.top };
  });

/** The messages of the rows before the marked one. */
const rowsAbove = (page: Page, count: number): Promise<string[]> =>
  page.evaluate((most) => {
    const rows = [...document.querySelectorAll('[role=log] article')];
    const at = rows.findIndex((row) => row.ariaCurrent === 'true');
    return rows.slice(Math.max(0, at - most), at).map(({ id }) => id.replace('message-', ''));
  }, count);

const topOf = (page: Page, id: string) =>
  page.evaluate((wanted) => {
    const frame = document.querySelector('[role=log]') as HTMLElement;
    const row = document.getElementById(wanted);
    if (!row) throw new Error(`${wanted} is not in the page.`);
    return row.getBoundingClientRect().top - frame.getBoundingClientRect().top;
  }, id);

/** By how many pixels a row moves on the screen while something happens, looked at in each frame. */
async function movement(page: Page, id: string, happen: () => Promise<unknown>): Promise<number> {
  await page.evaluate((wanted) => {
    const seen: number[] = [];
    Object.assign(window, { seen });
    const look = () => {
      seen.push(document.getElementById(wanted)?.getBoundingClientRect().top ?? Number.NaN);
      if ((window as { seen?: number[] }).seen === seen) requestAnimationFrame(look);
    };
    look();
  }, id);
  await happen();
  await settled(page);
  return await page.evaluate(() => {
    const { seen } = window as unknown as { seen: number[] };
    Object.assign(window, { seen: undefined });
    return Math.max(...seen) - Math.min(...seen);
  });
}

/** Drags the page with a finger that stops before it is lifted. */
async function swipe(touch: CDPSession, { x, y }: { x: number; y: number }, distance: number): Promise<void> {
  const MOVES = 10;
  const from = y + distance / 2;
  const startedAt = Date.now() / 1000;
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', seconds: number, part?: number) =>
    touch.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: part === undefined ? [] : [{ x, y: from - distance * part }],
      timestamp: startedAt + seconds,
    });
  await send('touchStart', 0, 0);
  for (let move = 1; move <= MOVES; move++) await send('touchMove', move / 50, move / MOVES);
  await send('touchMove', 1, 1);
  await send('touchEnd', 2);
}

describe.skipIf(!hasBrowser)(`the place of a reader, in Chromium${NEEDS_BROWSER}`, OPTIONS, () => {
  let daemon: TestDaemon;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let alice: Relay;
  let bob: Relay;
  const ids: string[] = [];
  const next = seededRandom(7);
  const worst = { fromMiddle: 0, step: 0, still: 0, rows: 0 };

  const linkTo = (id: string) => `http://${daemon.http}/#/demo/channel/big/${id}`;
  const openAt = async (viewport: { width: number; height: number }) => {
    const opened = await browser.open(await linkOf(daemon), { viewport, hasTouch: isPhone(viewport) });
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    return opened;
  };
  /** Goes to a message as a link in a new tab would. */
  const follow = async (page: Page, id: string) => {
    await page.goto('about:blank');
    await page.goto(linkTo(id));
    await expectInMiddle(page, id);
  };
  const expectInMiddle = async (page: Page, id: string) => {
    await page.locator(`#message-${id}[aria-current=true]`).waitFor();
    await settled(page);
    const place = await placeOfTarget(page);
    const wanted = Math.max((place.frame - place.height) / 2, 0);
    const off = place.top - wanted;
    const isAtEdge = (off < 0 && place.above < 1) || (off > 0 && place.below < 1);
    if (!isAtEdge) worst.fromMiddle = Math.max(worst.fromMiddle, Math.abs(off));
    expect({ place, isRight: isAtEdge || Math.abs(off) <= 2 }).toMatchObject({ isRight: true });
    expect(place.top).toBeGreaterThan(-1);
    expect(place.top).toBeLessThan(place.frame);
  };

  beforeAll(async () => {
    daemon = await startDaemon({ settings: UNGOVERNED });
    alice = await client(daemon, { name: 'Alice', paths: [] as never });
    bob = await client(daemon, { name: 'Bob', paths: [] as never });
    await alice.channels.create('big');
    await bob.channels.join('big');
    while (ids.length < MESSAGES) {
      const count = Math.min(BATCH, MESSAGES - ids.length);
      const sent = await Promise.all(
        Array.from({ length: count }, (_, at) =>
          (next() < 0.5 ? alice : bob).send('#big', contentOf(ids.length + at, next)),
        ),
      );
      ids.push(...sent.map(({ messageId }) => messageId));
    }
    browser = await openBrowser();
  });
  afterAll(async () => {
    if (isLong) console.log('worst, in pixels and rows:', worst);
    await alice?.close();
    await bob?.close();
    await browser?.[Symbol.asyncDispose]();
    await daemon?.[Symbol.asyncDispose]();
  });

  describe.each(VIEWPORTS)('at $width × $height', (viewport) => {
    it('is a linked message, marked and in the middle, also after a reload', async () => {
      await using opened = await openAt(viewport);
      const { page } = opened;
      const some = Array.from({ length: TARGETS }, () => ids[Math.floor(next() * ids.length)] as string);
      // And those that cannot be in the middle.
      for (const [at, id] of [ids[0] as string, ids.at(-1) as string, ...some].entries()) {
        await follow(page, id);
        if (at % 5 > 1) continue;
        await page.reload();
        await expectInMiddle(page, id);
      }
      expect(opened.errors).toEqual([]);
    });

    it('stays while pages are read by wheel, keys or touch', async () => {
      await using opened = await openAt(viewport);
      const { page, context } = opened;
      const touch = isPhone(viewport) && (await context.newCDPSession(page));
      const middle = { x: viewport.width / 2, y: viewport.height / 2 };
      const scrollBy = (distance: number) =>
        touch ? swipe(touch, middle, distance) : page.mouse.wheel(0, distance);
      const ends = () =>
        page.evaluate(() => {
          const rows = document.querySelectorAll('[role=log] article');
          return [rows[0]?.id, rows[rows.length - 1]?.id];
        });
      /** Does it often; the row in the middle must go as far each time, whatever is read meanwhile. */
      const again = async (how: () => Promise<unknown>, tolerance = 2) => {
        let wanted: number | undefined;
        for (let count = 0; count < STEPS; count++) {
          const row = await middleRow(page);
          await how();
          await settled(page);
          const moved = (await topOf(page, row.id)) - row.top;
          wanted ??= moved;
          expect(Math.abs(moved)).toBeGreaterThan(10);
          if (tolerance === 2) worst.step = Math.max(worst.step, Math.abs(moved - wanted));
          expect(Math.abs(moved - wanted), `${count}: ${moved}, not ${wanted}`).toBeLessThanOrEqual(
            tolerance,
          );
          const rows = await page.locator('[role=log] article').count();
          worst.rows = Math.max(worst.rows, rows);
          expect(rows).toBeLessThanOrEqual(240);
        }
      };
      const step = viewport.height / 2;
      // A browser guesses where a finger will be.
      const fingerTolerance = touch ? step / 4 : undefined;
      await follow(page, ids[Math.floor(MESSAGES / 2)] as string);
      const [oldest, newest] = await ends();
      await page.mouse.move(middle.x, middle.y);
      await again(() => scrollBy(-step), fingerTolerance);
      await again(() => page.keyboard.press('PageUp'));
      await again(() => page.keyboard.press('ArrowUp'));
      expect((await ends())[0]).not.toBe(oldest);
      for (const _ of [1, 2, 3]) await again(() => page.keyboard.press('PageDown'));
      await again(() => scrollBy(step), fingerTolerance);
      expect((await ends())[1]).not.toBe(newest);
      expect(opened.errors).toEqual([]);
    });

    it('stays while messages arrive and others change their height', async () => {
      await using opened = await openAt(viewport);
      const { page } = opened;
      const happen = async () => {
        const above = await rowsAbove(page, 8);
        for (let count = 0; count < 6; count++) await bob.send('#big', `A new one, ${count}`);
        for (const id of above) await alice.react(id, '🎉');
        // What comes last is seen last.
        await page.locator(`#message-${above.at(-1)} .reaction`).waitFor();
      };
      // In each viewport others, which have no reactions yet.
      const shift = 20 * VIEWPORTS.indexOf(viewport);
      for (const at of [Math.floor(MESSAGES / 3) + shift, MESSAGES - 3 - shift]) {
        await follow(page, ids[at] as string);
        const { id } = await middleRow(page);
        const moved = await movement(page, id, happen);
        worst.still = Math.max(worst.still, moved);
        expect(moved).toBeLessThanOrEqual(1);
      }
    });

    it('is the end for one who is there', async () => {
      await using opened = await openAt(viewport);
      const { page } = opened;
      await page.goto(`http://${daemon.http}/#/demo/channel/big`);
      const below = () =>
        page.evaluate(() => {
          const frame = document.querySelector('[role=log]') as HTMLElement;
          return frame.scrollHeight - frame.scrollTop - frame.clientHeight;
        });
      for (let count = 0; count < 3; count++) {
        const { messageId } = await bob.send('#big', contentOf(count, next));
        await page.locator(`#message-${messageId}`).waitFor();
        await settled(page);
        expect(await below()).toBeLessThanOrEqual(1);
      }
      await follow(page, ids[10] as string);
      await page.keyboard.press('End');
      await expect.poll(below).toBeLessThanOrEqual(1);
      await expect.poll(() => page.getByRole('button', { name: 'Latest messages' }).count()).toBe(0);
    });
  });
});
