import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Loaded into a daemon (`--import`): SIGUSR2 shifts its wall clock by the milliseconds in the file. */
const file = process.env.RELAY_TEST_CLOCK_FILE;
const RealDate = Date;
let offset = 0;

if (file !== undefined && isMainThread) {
  globalThis.Date = class extends RealDate {
    constructor(...args: [] | [number | string | Date]) {
      if (args.length === 0) super(RealDate.now() + offset);
      else super(args[0]);
    }

    static override now(): number {
      return RealDate.now() + offset;
    }
  } as DateConstructor;
  process.on('SIGUSR2', () => {
    offset = Number(readFileSync(file, 'utf8'));
  });
}
