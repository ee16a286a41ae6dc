import type { Page } from 'playwright-core';

/** One task of the page's main thread, in milliseconds: from start to end, and of that on a processor. */
export interface PageTask {
  tookMs: number;
  processorMs: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
}

/** Set in the page at the end, to find its process: a trace is of the whole browser, which draws pages of its own. */
const MARK = 'page-tasks';

/** The tasks of a page while something goes on. On a busy machine a task takes long because it waits for a processor. */
export async function tasksDuring(page: Page, work: () => Promise<void>): Promise<PageTask[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  const collected = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'] },
  });
  await work();
  await page.evaluate((mark) => void performance.mark(mark), MARK);
  await session.send('Tracing.end');
  await collected;
  await session.detach();
  const mark = events.find(({ name }) => name === MARK);
  if (!mark) throw new Error('The trace does not have the mark of the page.');
  return events
    .filter(
      ({ name, ph, pid, tid }) => ph === 'X' && /RunTask$/.test(name) && pid === mark.pid && tid === mark.tid,
    )
    .map(({ dur = 0, tdur = 0 }) => ({ tookMs: dur / 1000, processorMs: tdur / 1000 }));
}
