import { computed, useSignal } from '@preact/signals';
import { agents, held, trafficLog, trafficVersion } from '../model/project.ts';
import type { Traffic } from '../model/traffic.ts';
import { hueOf } from '../parts/avatar.tsx';
import { Icon } from '../parts/icon.tsx';
import { clockTime, now } from '../parts/time.tsx';
import { MessageRate } from './message-rate.tsx';

const SPANS: Array<[text: string, ms: number]> = [
  ['15 min', 900_000],
  ['1 h', 3_600_000],
  ['6 h', 21_600_000],
];
const STRETCHES = 48;
const MOST_LANES = 9;
const WIDTH = 400;
const NAME_WIDTH = 104;
const LANE = 22;
const TOP = 12;

/** Senders and recipients of held messages. */
const heldPairs = computed(() => new Set(held.value.map(({ from, to }) => `${from}\n${to}`)));

const loops = computed(() => [
  ...new Map(
    held.value.map(({ from, to }) => {
      const pair = [from, to].sort();
      return [pair.join('\n'), pair] as const;
    }),
  ).values(),
]);

/** Who talks to whom over time: a lane for each, a line for each exchange. */
export function TrafficPicture() {
  const span = useSignal(1);
  const [, ms] = SPANS[span.value] ?? SPANS[0] ?? ['', 1];
  const until = now.value;
  // Redrawn when messages arrive and as time passes.
  void trafficVersion.value;
  const log = trafficLog.value;
  const traffic = log.traffic({ since: until - ms, until, stretches: STRETCHES }, MOST_LANES);
  return (
    <section class="card" aria-labelledby="traffic">
      <header class="card-head">
        <h2 id="traffic">Who talks to whom</h2>
        <fieldset class="segments" aria-label="Time span">
          {SPANS.map(([text], index) => (
            <button
              key={text}
              type="button"
              aria-pressed={span.value === index}
              onClick={() => {
                span.value = index;
              }}
            >
              {text}
            </button>
          ))}
        </fieldset>
      </header>
      {traffic.total === 0 ? (
        <p class="muted">No messages in this time.</p>
      ) : (
        <Picture traffic={traffic} since={until - ms} until={until} />
      )}
      <MessageRate label="Messages per minute" />
      {traffic.hidden > 0 && (
        <p class="muted small">
          The {MOST_LANES} busiest of {traffic.hidden + MOST_LANES}.
        </p>
      )}
      {loops.value.map(([one, other]) => (
        <p key={`${one} ${other}`} class="loop small">
          <Icon name="loop" size={14} /> {one} and {other} are in a loop; messages are held.
        </p>
      ))}
      {traffic.total > 0 && log.since > until - ms && (
        <p class="muted small">
          The picture has what this page has read, since {clockTime(log.since)}; the bars count all.
        </p>
      )}
    </section>
  );
}

function Picture({ traffic, since, until }: { traffic: Traffic; since: number; until: number }) {
  const height = TOP + traffic.lanes.length * LANE + 18;
  const laneY = (name: string) => TOP + traffic.lanes.indexOf(name) * LANE;
  const x = (at: number) => NAME_WIDTH + 8 + ((at + 0.5) / STRETCHES) * (WIDTH - NAME_WIDTH - 12);
  return (
    <svg
      class="traffic"
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label={`${traffic.total} messages between ${traffic.lanes.join(', ')}`}
    >
      {traffic.lanes.map((name) => (
        <g key={name} class={agents.value.get(name)?.status === 'offline' ? 'lane is-offline' : 'lane'}>
          <text x={NAME_WIDTH} y={laneY(name) + 4} text-anchor="end">
            {shortened(name)}
          </text>
          <line x1={NAME_WIDTH + 8} x2={WIDTH - 4} y1={laneY(name)} y2={laneY(name)} />
        </g>
      ))}
      {traffic.exchanges.map(({ from, to, at, count }) => {
        const isHeld = heldPairs.value.has(`${from}\n${to}`);
        return (
          <g key={`${at} ${from} ${to}`} class={isHeld ? 'exchange is-held' : `exchange hue-${hueOf(from)}`}>
            <title>{`${from} → ${to}: ${count}`}</title>
            <line x1={x(at)} x2={x(at)} y1={laneY(from)} y2={laneY(to)} />
            <circle
              class="from"
              cx={x(at)}
              cy={laneY(from)}
              r={Math.min(4.4, 1.8 + Math.log2(count + 1) * 0.7)}
            />
            <circle class="to" cx={x(at)} cy={laneY(to)} r={1.5} />
          </g>
        );
      })}
      <text class="axis" x={NAME_WIDTH + 8} y={height - 2}>
        {clockTime(since)}
      </text>
      <text class="axis" x={WIDTH - 4} y={height - 2} text-anchor="end">
        {clockTime(until)}
      </text>
    </svg>
  );
}

const shortened = (name: string): string =>
  [...name].length > 15 ? `${[...name].slice(0, 14).join('')}…` : name;
