import { milliseconds } from '../statistics.ts';
import { measureCalls } from './calls.ts';
import { measureStarts } from './start.ts';

const quick = process.argv.includes('--quick');

for (const { what, measured, baseline, goal, p99 } of await measureCalls(quick ? 3 : 120, 15)) {
  const ratio = (measured / baseline).toFixed(2);
  console.log(
    `${what}: p50 ${milliseconds(measured)}, echo + relay ${milliseconds(baseline)}, ratio ${ratio} (goal ${goal}), p99 ${milliseconds(p99)}`,
  );
}
const { ours, bare } = await measureStarts(quick ? 3 : 15);
console.log(
  `P7 start to tools/list: ${milliseconds(ours)}, bare SDK server ${milliseconds(bare)}, ratio ${(ours / bare).toFixed(2)} (goal 1.0)`,
);
