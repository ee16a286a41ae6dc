/** The percentile `p` (0 to 1) of the values. */
export function percentile(values: readonly number[], p: number): number {
  if (values.length === 0) throw new Error('There is nothing to take a percentile of.');
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const maximum = (values: readonly number[]): number =>
  values.reduce((highest, value) => Math.max(highest, value), Number.NEGATIVE_INFINITY);

export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
