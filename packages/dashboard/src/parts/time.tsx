import { dateOf } from '@agent-relay/protocol';
import { signal } from '@preact/signals';
import { once } from './once.ts';

/** Ticks, so that "2 min ago" stays true. */
export const now = signal(Date.now());
const TICK_MS = 10_000;
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, TICK_MS);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});

const STEPS: Array<[unit: Intl.RelativeTimeFormatUnit, ms: number]> = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

const relative = once(() => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' }));
const clock = once(() => new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }));
const day = once(
  () => new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' }),
);
const full = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' }));
// The first formatter loads language data, which takes a while: in its own task, while the daemon is asked.
setTimeout(full);

function ago(time: number, at: number): string {
  for (const [unit, ms] of STEPS) {
    if (at - time >= ms) return relative().format(-Math.floor((at - time) / ms), unit);
  }
  return 'just now';
}

/** How long ago, with the full date as tooltip. */
export const Ago = ({ time }: { time: number }) => (
  <time dateTime={dateOf(time).toISOString()} title={full().format(dateOf(time))}>
    {ago(time, now.value)}
  </time>
);

export const clockTime = (time: number): string => clock().format(dateOf(time));

export const ClockTime = ({ time }: { time: number }) => (
  <time dateTime={dateOf(time).toISOString()} title={full().format(dateOf(time))}>
    {clockTime(time)}
  </time>
);

const dayAndTime = once(
  () =>
    new Intl.DateTimeFormat(undefined, {
      ...{ weekday: 'short', day: 'numeric', month: 'short' },
      ...{ hour: '2-digit', minute: '2-digit' },
    }),
);

/** When something ends: the time, and the day if that is another one. */
export function timeOfEnd(time: number, at: number): string {
  const isToday = dateOf(time).toDateString() === dateOf(at).toDateString();
  return isToday ? clockTime(time) : dayAndTime().format(dateOf(time));
}

/** A day as a heading. */
export function dayName(time: number, at: number): string {
  const midnight = new Date(at).setHours(0, 0, 0, 0);
  if (time >= midnight) return 'Today';
  return time >= midnight - 86_400_000 ? 'Yesterday' : day().format(dateOf(time));
}
