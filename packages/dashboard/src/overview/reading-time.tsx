import type { Latency } from '../model/latency.ts';
import { latencyLog, trafficVersion } from '../model/project.ts';
import { clockTime, now } from '../parts/time.tsx';

const STRETCHES = 60;
const HOUR_MS = 3_600_000;
const HEIGHT = 56;
/** The axis is logarithmic: a push takes milliseconds, an agent in a long turn minutes. */
const LINES: Array<[text: string, ms: number]> = [
  ['1 min', 60_000],
  ['1 s', 1_000],
];
const [SHORTEST, LONGEST] = [10, HOUR_MS];

/** How long messages of the last hour waited until an agent read them. */
export function ReadingTime() {
  // Redrawn when messages are read and as time passes.
  void trafficVersion.value;
  const until = now.value;
  const span = { since: until - HOUR_MS, until, stretches: STRETCHES };
  const log = latencyLog.value;
  const [all] = log.over({ ...span, stretches: 1 });
  return (
    <section class="card" aria-labelledby="reading-time">
      <h2 id="reading-time" class="card-head">
        Time until read
      </h2>
      {all ? (
        <Chart all={all} minutes={log.over(span)} since={span.since} until={until} />
      ) : (
        <p class="muted">
          No agent has read a message since this page was opened. The time from sending to reading appears
          here.
        </p>
      )}
    </section>
  );
}

function Chart({
  all,
  minutes,
  since,
  until,
}: {
  all: Latency;
  minutes: Array<Latency | undefined>;
  since: number;
  until: number;
}) {
  const openedAt = latencyLog.value.since;
  return (
    <figure class="rate">
      <div class="reading-chart">
        <svg
          viewBox={`0 0 ${STRETCHES * 4} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Time until read: ${inWords(all)}`}
        >
          {LINES.map(([text, ms]) => (
            <line key={text} class="tick" x1={0} x2={STRETCHES * 4} y1={heightOf(ms)} y2={heightOf(ms)} />
          ))}
          {minutes.map(
            (minute, index) =>
              minute && (
                <g key={index}>
                  <title>{`${clockTime(since + ((index + 0.5) / STRETCHES) * HOUR_MS)}: ${inWords(minute)}`}</title>
                  <rect
                    class="range"
                    x={index * 4}
                    width={3}
                    y={heightOf(minute.most)}
                    height={heightOf(minute.half) - heightOf(minute.most)}
                  />
                  <rect x={index * 4} width={3} y={heightOf(minute.half) - 1} height={2} />
                </g>
              ),
          )}
        </svg>
        {LINES.map(([text, ms]) => (
          <span key={text} class="muted" style={{ top: `${heightOf(ms)}px` }} aria-hidden="true">
            {text}
          </span>
        ))}
      </div>
      <figcaption class="muted small">
        <span>{clockTime(since)}</span>
        <span>
          half within {duration(all.half)} · 95% within {duration(all.most)}
        </span>
        <span>{clockTime(until)}</span>
      </figcaption>
      {openedAt > since && (
        <p class="muted small">Measured since {clockTime(openedAt)}, while this page is open.</p>
      )}
    </figure>
  );
}

function heightOf(ms: number): number {
  const bounded = Math.min(LONGEST, Math.max(SHORTEST, ms));
  return Math.round(
    HEIGHT - 2 - (Math.log(bounded / SHORTEST) / Math.log(LONGEST / SHORTEST)) * (HEIGHT - 4),
  );
}

const inWords = ({ half, most, count }: Latency): string =>
  `half within ${duration(half)}, 95% within ${duration(most)}, ${count.toLocaleString()} read`;

const STEPS: Array<[unit: string, ms: number]> = [
  ['h', HOUR_MS],
  ['min', 60_000],
  ['s', 1_000],
];

/** As short as a caption needs: `84 ms`, `1.2 s`, `14 min`. */
function duration(ms: number): string {
  const [unit, size] = STEPS.find(([, size]) => ms >= size) ?? ['ms', 1];
  const count = ms / size;
  return `${count.toLocaleString(undefined, { maximumFractionDigits: count < 10 && size > 1 ? 1 : 0 })} ${unit}`;
}
