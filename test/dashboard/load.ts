// Measures the dashboard under load: node test/dashboard/load.ts [agents] [messages] [messages a second] [seconds]
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Relay } from '@agent-relay/sdk/node';
import { startBrowser } from '../kit/browser.ts';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import { type PageTask, tasksDuring } from './page-tasks.ts';

const [agents = 500, messages = 100_000, perSecond = 200, seconds = 20] = process.argv.slice(2).map(Number);
const AT_ONCE = 200;

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

const browser = await startBrowser();
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
const { url } = await owner.request('PAGE_LINK', {});
let shown = 0;
const opening = await tasksDuring(page, async () => {
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
/** The tasks of the page at a place, while messages go on. */
async function under(place: string): Promise<PageTask[]> {
  await page.goto(`${new URL(url).origin}/#/demo${place}`);
  await delay(1000);
  return tasksDuring(page, async () => {
    const until = performance.now() + seconds * 500;
    for (let number = 0; performance.now() < until; number += perSecond / 10) {
      await Promise.all(Array.from({ length: perSecond / 10 }, (_, index) => say(number + index)));
      await delay(100);
    }
  });
}

const most = (times: number[]) => `${Math.round(times.reduce((one, other) => Math.max(one, other), 0))} ms`;
const worst = (tasks: PageTask[]) =>
  `${tasks.filter(({ tookMs }) => tookMs > 100).length} tasks over 100 ms, worst ${most(tasks.map(({ tookMs }) => tookMs))}` +
  `; most processor time of one ${most(tasks.map(({ processorMs }) => processorMs))}`;
process.stdout.write(`first paint ${Math.round(paint)} ms, everything shown ${Math.round(shown)} ms\n`);
process.stdout.write(`opening:  ${worst(opening)}\n`);
process.stdout.write(`overview: ${worst(await under(''))}\n`);
process.stdout.write(`messages: ${worst(await under('/activity'))}\n`);
await browser.close();
for (const relay of team) await relay.close();
