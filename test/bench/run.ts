import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startDaemon, UNGOVERNED } from '../kit/daemon.ts';
import buildIfStale from '../kit/fresh-programs.ts';
import { measureCalls } from './calls.ts';
import { type Figure, figuresOf, slowDiskFigure } from './figures.ts';
import { measureHistory } from './history.ts';
import { measureManyAgents } from './many-agents.ts';
import { measureObservers } from './observers.ts';
import { connectPairs } from './pairs.ts';
import { RawEcho } from './raw-echo.ts';
import { RawSqlite } from './raw-sqlite.ts';
import { measureRound, type Round, SENDERS } from './round.ts';

const PARTS = ['messages', 'history', 'agents', 'calls', 'observers'];

const HELP = `npm run bench -- [options]
  --quick          a smoke test of a few seconds; its figures mean nothing
  --only PART      only messages (P1 to P3), history (P6), agents (P8), calls (P11) or observers (P12)
  --json           print the figures as JSON
  --profile DIR    write CPU profiles of the daemon's threads into DIR
  --help`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

// A normal exit ends the started processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** On a busy machine the figures mean little: above a few tenths, measure again. */
const loadBefore = Number(loadavg()[0]?.toFixed(1));

const isUnknown = options.only !== undefined && !PARTS.includes(options.only);
if (options.help || isUnknown) {
  console.log(HELP);
  process.exitCode = isUnknown ? 2 : 0;
} else {
  buildIfStale();
  const isWanted = (part: string) => options.only === undefined || options.only === part;
  const history = isWanted('history') ? await measureHistory(options.quick) : { figures: [], table: [] };
  const figures = [
    ...(isWanted('messages') ? await measureMessages() : []),
    ...history.figures,
    ...(isWanted('agents') ? await measureManyAgents(options.quick) : []),
    ...(isWanted('calls') ? await measureCalls(options.quick) : []),
    ...(isWanted('observers') ? await measureObservers(options.quick) : []),
  ];
  if (options.json)
    console.log(
      JSON.stringify({ ...machine(), quick: options.quick, figures, history: history.table }, undefined, 2),
    );
  else printTables(figures, history.table);
  if (!options.quick && figures.some(({ result }) => result === 'FAIL')) process.exitCode = 1;
}

async function measureMessages(): Promise<Figure[]> {
  const profiling = options.profile && `--cpu-prof --cpu-prof-dir=${options.profile}`;
  await using daemon = await startDaemon({
    settings: UNGOVERNED,
    ...(profiling ? { env: { NODE_OPTIONS: profiling } } : {}),
  });
  using echo = await RawEcho.start(daemon.directory);
  using sqlite = new RawSqlite(daemon.directory, SENDERS);
  const pairs = await connectPairs(daemon.socketPath, SENDERS);
  const subjects = { pairs, echo, sqlite };
  const { rounds, scale } = options.quick ? { rounds: 1, scale: 0.1 } : { rounds: 7, scale: 1 };
  // The first round warms up the code of everything; it is not counted.
  await measureRound(subjects, 0.2);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) measured.push(await measureRound(subjects, scale));
  for (const pair of pairs) pair.close();
  // Profiles are written at a normal exit.
  if (profiling) await daemon.stop();
  return [...figuresOf(measured), await slowDiskFigure(echo, daemon.directory, scale)];
}

function machine() {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpus: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    loadBefore,
  };
}

function printTables(figures: Figure[], history: string[][]): void {
  const { date, node, platform, cpus: processors } = machine();
  console.log(`${date}, Node ${node}, ${platform}, ${processors}, load before the run ${loadBefore}\n`);
  const header = ['', 'figure', 'measured', 'baseline of the same run', 'value', 'goal', 'result'];
  const rows = figures.map(({ id, what, measured, baseline, value, goal, result }) => [
    id,
    what,
    measured,
    baseline,
    Number.isNaN(value) ? '' : value.toFixed(2),
    goal,
    result,
  ]);
  printTable([header, ...rows]);
  if (history.length > 0) {
    console.log('\nP6 in full:\n');
    printTable(history);
  }
  if (options.quick) console.log('\nA quick run: the figures mean nothing.');
}

function printTable([header = [], ...rows]: string[][]): void {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [header, widths.map((width) => '─'.repeat(width)), ...rows])
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
