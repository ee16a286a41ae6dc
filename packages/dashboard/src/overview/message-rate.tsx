import { trafficLog, trafficVersion } from '../model/project.ts';
import { clockTime, now } from '../parts/time.tsx';

const STRETCHES = 60;
const HOUR_MS = 3_600_000;
const HEIGHT = 44;

/** Messages per minute over the last hour as bars, in total or of one sender. */
export function MessageRate({ sender, label }: { sender?: string; label: string }) {
  // Redrawn when messages arrive and as time passes.
  void trafficVersion.value;
  const until = now.value;
  const span = { since: until - HOUR_MS, until, stretches: STRETCHES };
  const counts = trafficLog.value.activity(span, sender);
  const most = Math.max(...counts, 1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (
    <figure class="rate">
      <svg
        viewBox={`0 0 ${STRETCHES * 4} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${total} in the last hour, peak ${most} per minute`}
      >
        {counts.map((count, index) => (
          <rect
            key={index}
            x={index * 4}
            width={3}
            y={HEIGHT - barHeight(count, most)}
            height={barHeight(count, most)}
            class={count === 0 ? 'is-zero' : ''}
          >
            <title>{`${clockTime(span.since + ((index + 0.5) / STRETCHES) * HOUR_MS)}: ${count}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="muted small">
        <span>{clockTime(span.since)}</span>
        <span>
          {total === 0
            ? 'None in the last hour'
            : `${total.toLocaleString()} in an hour · peak ${most.toLocaleString()}/min`}
        </span>
        <span>{clockTime(until)}</span>
      </figcaption>
    </figure>
  );
}

const barHeight = (count: number, most: number): number =>
  count === 0 ? 1 : 2 + (count / most) * (HEIGHT - 2);
