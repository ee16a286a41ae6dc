// What a terminal costs an agent, and how fast messages get into it: npm run bench:terminals [-- --quick] [--only output]
import { parseArgs } from 'node:util';
import { claude } from '../../agents/clis/claude.ts';
import { codex } from '../../agents/clis/codex.ts';
import { startDaemon, UNGOVERNED } from '../../kit/daemon.ts';
import { milliseconds, percentile } from '../statistics.ts';
import { idleHosts, keyLatencies, outputRates } from './costs.ts';
import { injectionTimes } from './injections.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const PARTS = ['keys', 'output', 'idle', 'messages'] as const;
if (values.only !== undefined && !PARTS.some((part) => part === values.only)) {
  console.error(`--only takes one of: ${PARTS.join(', ')}`);
  process.exit(2);
}
const isWanted = (part: (typeof PARTS)[number]) => (values.only ?? part) === part;
const times = values.quick ? 1 : 5;
const SIZES = [16, 400, 4000];
await using daemon = await startDaemon({ settings: UNGOVERNED });
let missed = 0;
const tell = (what: string, measured: string, goal: string, passed: boolean): void => {
  if (!passed) missed++;
  console.log(`P9  ${what}: ${measured}; goal ${goal}: ${passed ? 'pass' : 'FAIL'}`);
};
const perSecond = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB/s`;

if (isWanted('keys')) {
  const keys = await keyLatencies(daemon, 200 * times);
  tell(
    'keypress to echo, median',
    `${milliseconds(keys.relay)} beside ${milliseconds(keys.plain)} plain, + ${milliseconds(keys.added)}`,
    '+ < 5 ms',
    keys.added < 5,
  );
}
if (isWanted('output')) {
  const output = await outputRates(daemon, 2 * times + 1);
  tell(
    'output, median',
    `${perSecond(output.relay)} beside ${perSecond(output.plain)} plain (and ${perSecond(output.script)} through script), ratio ${output.ratio.toFixed(2)}; ${output.patterns.toFixed(2)} of the rate with --no-patterns`,
    '≥ 0.5',
    output.ratio >= 0.5,
  );
}
if (isWanted('idle')) {
  const hosts = values.quick ? 5 : 20;
  const idle = await idleHosts(daemon, hosts, 10_000 * times);
  const scaled = (idle.share / hosts) * 20;
  tell(`${hosts} idle hosts`, `${(scaled * 100).toFixed(2)} % of a core for 20`, '< 1 %', scaled < 0.01);
  tell('private memory of a host', `${idle.privateMiB.toFixed(1)} MiB`, '≤ 60 MiB', idle.privateMiB <= 60);
}
for (const cli of isWanted('messages') ? [claude, codex] : []) {
  const injected = await injectionTimes(cli, daemon, { sizes: SIZES, messages: 6 * times });
  for (const [size, taken] of injected) {
    const p95 = percentile(taken, 0.95);
    tell(
      `${cli.title} ${cli.version}, ${size} bytes sent → submitted, ${taken.length} messages`,
      `p50 ${milliseconds(percentile(taken, 0.5))}, p95 ${milliseconds(p95)}`,
      'p95 < 300 ms',
      p95 < 300,
    );
  }
}
process.exitCode = missed === 0 ? 0 : 1;
