import { totalOf } from '../model/message-counts.ts';
import { clockTime } from '../parts/time.tsx';
import { useMessageCounts } from './use-message-counts.ts';

const MINUTE_MS = 60_000;
const HEIGHT = 44;

/** Messages per minute over the last hour as bars, in total or of one sender. */
export function MessageRate({ sender, label }: { sender?: string; label: string }) {
  const counted = useMessageCounts(sender);
  if (!counted) return <figure class="rate is-empty" aria-busy="true" />;
  const { since, counts } = counted;
  const most = Math.max(...counts, 1);
  const total = totalOf(counted);
  return (
    <figure class="rate">
      <svg
        viewBox={`0 0 ${counts.length * 4} ${HEIGHT}`}
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
            <title>{`${clockTime(since + index * MINUTE_MS)}: ${count.toLocaleString()}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="muted small">
        <span>{clockTime(since)}</span>
        <span>
          {total === 0
            ? 'None in the last hour'
            : `${total.toLocaleString()} in an hour · peak ${most.toLocaleString()}/min`}
        </span>
        <span>{clockTime(since + counts.length * MINUTE_MS)}</span>
      </figcaption>
    </figure>
  );
}

const barHeight = (count: number, most: number): number =>
  count === 0 ? 1 : 2 + (count / most) * (HEIGHT - 2);
