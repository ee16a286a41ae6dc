import type { Terminal } from '@xterm/headless';

/** More often than any program repeats something; the emulator would be busy for minutes with what a sequence can ask for. */
const MOST_REPEATS = 1000;
/** Insert, delete and scroll lines, go to another tab, repeat a letter. */
const REPEATED = [...'LMSTIZb'];

/** Leaves out sequences that would keep the emulator from everything else. */
export function boundRepeats({ parser }: Terminal): void {
  for (const final of REPEATED)
    parser.registerCsiHandler({ final }, ([count]) => typeof count === 'number' && count > MOST_REPEATS);
}
