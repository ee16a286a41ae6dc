import { parseArgs } from 'node:util';
import buildIfStale from '../kit/fresh-programs.ts';
import { clockJumps } from './clock-jumps.ts';
import { connectionStorm } from './connection-storm.ts';
import { diskFull } from './disk-full.ts';
import { failedSync } from './failed-sync.ts';
import { CannotRun, type Fault } from './fault.ts';
import { fsyncAudit } from './fsync-audit.ts';
import { hostileBytes } from './hostile-bytes.ts';
import { hostileMessages } from './hostile-messages.ts';
import { hostileOutput } from './hostile-output.ts';
import { hostilePage } from './hostile-page.ts';
import { hostilePrompts } from './hostile-prompts.ts';
import { hungHooks } from './hung-hooks.ts';
import { kill } from './kill.ts';
import { liveFuzz } from './live-fuzz.ts';
import { quotaFloods } from './quota-floods.ts';
import { renameKills } from './rename-kills.ts';
import { slowSync } from './slow-sync.ts';
import { soak } from './soak.ts';
import { spawnKills } from './spawn-kills.ts';
import { stoppedConsumer } from './stopped-consumer.ts';
import { workerDeeds } from './worker-deeds.ts';

const FAULTS: Fault[] = [
  fsyncAudit,
  diskFull,
  slowSync,
  failedSync,
  clockJumps,
  stoppedConsumer,
  hungHooks,
  hostileBytes,
  hostileMessages,
  hostilePrompts,
  hostileOutput,
  hostilePage,
  connectionStorm,
  quotaFloods,
  liveFuzz,
  kill,
  renameKills,
  spawnKills,
  workerDeeds,
  soak,
];

const HELP = `npm run test:faults -- [options]
  --short          a few minutes in all; without it, as many repetitions as a release deserves
  --only NAME      one fault: ${FAULTS.map(({ name }) => name).join(', ')}
  --seed NUMBER    repeat a run whose seed was printed
  --help`;

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
/** Uncaught errors, such as in the listener of a socket; the deadlines end the broken fault. */
const uncaught: unknown[] = [];
process.on('uncaughtException', (error) => uncaught.push(error));
// A normal exit stops the daemons and unmounts disks.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const chosen = FAULTS.filter(({ name }) => options.only === undefined || options.only === name);
const seed = options.seed === undefined ? Date.now() % 2 ** 31 : Number(options.seed);

if (options.help || chosen.length === 0 || !Number.isInteger(seed)) {
  console.log(HELP);
  process.exitCode = options.help ? 0 : 2;
} else {
  buildIfStale();
  console.log(`seed ${seed}`);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const fault of chosen) counts[await attempt(fault)] += 1;
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  if (counts.failed > 0) process.exitCode = 1;
}

async function attempt(fault: Fault): Promise<'passed' | 'failed' | 'skipped'> {
  const say = (line: string) => console.log(`    ${line}`);
  const startedAt = performance.now();
  console.log(`\n${fault.name}: ${fault.what}`);
  try {
    await fault.run({ short: options.short, seed, say });
    if (uncaught.length > 0) throw uncaught[0];
    console.log(`  passed in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    return 'passed';
  } catch (error) {
    if (error instanceof CannotRun) {
      console.log(`  SKIPPED: ${error.message}`);
      return 'skipped';
    }
    console.log('  FAILED');
    for (const reason of new Set([...uncaught.splice(0), error]))
      say(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
    return 'failed';
  }
}
