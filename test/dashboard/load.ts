// Measures the dashboard under load: node test/dashboard/load.ts [agents] [messages] [messages a second] [seconds]
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Relay } from '@agent-relay/sdk/node';
import type { Page } from 'playwright-core';
import { startBrowser } from '../kit/browser.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { type PageTask, tasksDuring } from './page-tasks.ts';

const [agents = 500, messages = 100_000, perSecond = 200, seconds = 10] = process.argv.slice(2).map(Number);
const AT_ONCE = 200;
const OPENINGS = 5;
/** Until the daemon has indexed what it stored, and Chromium has loaded pages of its own. */
const SETTLE_MS = 30_000;

await using daemon = await startDaemon({ settings: UNGOVERNED });
const at = { socketPath: daemon.socketPath, project: daemon.project, env: daemon.env };
await using owner = await connect(at);
const team: Relay[] = [];
for (let number = 0; number < agents; number++)
  team.push(
    await connect({ ...at, name: `Agent${number}`, cli: 'claude', task: `Task ${number}`, paths: ['pty'] }),
  );
const speaker = (number: number) => team[number % team.length] as Relay;
const say = (number: number) =>
  speaker(number).send(
    `Agent${(number * 7 + 1) % agents}`,
    `Message **${number}** about \`file-${number}.ts\``,
  );
for (let sent = 0; sent < messages; sent += AT_ONCE)
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => say(sent + index)));

let isTalking = true;
/** Goes on during everything that is measured. */
const talk = (async () => {
  for (let number = 0; isTalking; number += perSecond / 10) {
    const pause = delay(100);
    await Promise.all(Array.from({ length: perSecond / 10 }, (_, index) => say(number + index)));
    await pause;
  }
})();

const print = (text: string) => process.stdout.write(`${text}\n`);
const most = (times: number[]) => `${Math.round(Math.max(0, ...times))} ms`;
const worst = (tasks: PageTask[]) =>
  `${tasks.filter(({ tookMs }) => tookMs > 100).length} tasks over 100 ms, worst ${most(tasks.map(({ tookMs }) => tookMs))}` +
  `; most processor time of one ${most(tasks.map(({ processorMs }) => processorMs))}` +
  `; load ${loadavg()[0]?.toFixed(1)}`;

const browser = await startBrowser();
await delay(SETTLE_MS);

/** Opens the page, in a profile that has never seen it. */
async function open(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const { url } = await owner.request('PAGE_LINK', {});
  let shown = 0;
  const tasks = await tasksDuring(page, async () => {
    const began = performance.now();
    await page.goto(url);
    // By its id: looking for a role reads the whole page again and again, in the page, which would be measured too.
    await page.locator('#agents').waitFor();
    shown = performance.now() - began;
    // What is drawn or loaded after the first screen belongs to opening, too.
    await delay(2000);
  });
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  );
  print(
    `opening:  first paint ${Math.round(paint)} ms, everything shown ${Math.round(shown)} ms; ${worst(tasks)}`,
  );
  return page;
}

for (let count = 1; count < OPENINGS; count++) await (await open()).context().close();
const page = await open();
for (const [name, place] of [
  ['overview', ''],
  ['messages', '/activity'],
]) {
  await page.goto(`${new URL(page.url()).origin}/#/demo${place}`);
  await delay(1000);
  print(`${name}: ${worst(await tasksDuring(page, () => delay(seconds * 1000)))}`);
}
await browser.close();
isTalking = false;
await talk;
for (const relay of team) await relay.close();
