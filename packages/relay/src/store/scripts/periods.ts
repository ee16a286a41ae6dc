import { rows, type Script } from './script.ts';

/** About this many consecutive messages share a period. */
const PERIOD_SIZE = 1000;

interface Period {
  first: number;
  last: number;
  oldest: number;
  newest: number;
}

const PERIOD = 'first_seq AS first, last_seq AS last, oldest, newest';

/** How far the messages are indexed. */
export function* indexedUpTo(): Script<number> {
  const [row] = yield* rows<{ seq: number }>('SELECT seq FROM indexed');
  return row?.seq ?? 0;
}

/** A lower bound for the numbers of messages created at `since` or later. */
export function* firstSince(since: number): Script<number> {
  const [row] = yield* rows<{ first: number | null }>(
    'SELECT min(first_seq) AS first FROM periods WHERE newest >= ?',
    [since],
  );
  return row?.first ?? (yield* indexedUpTo()) + 1;
}

/** An upper bound for the numbers of indexed messages created at `until` or before. */
export function* lastUntil(until: number): Script<number> {
  const [row] = yield* rows<{ last: number | null }>(
    'SELECT max(last_seq) AS last FROM periods WHERE oldest <= ?',
    [until],
  );
  return row?.last ?? 0;
}

/** The periods with messages created before a time, in order; the last one also has those not indexed yet. */
export function* runsBefore(time: number): Script<Array<{ first: number; last: number }>> {
  const found = yield* rows<Period>(`SELECT ${PERIOD} FROM periods WHERE oldest < ? ORDER BY first_seq`, [
    time,
  ]);
  return [...found, { first: (yield* indexedUpTo()) + 1, last: Number.MAX_SAFE_INTEGER }];
}

/** Records the times of newly indexed messages. */
export function* addPeriod(run: Period): Script<void> {
  const [last] = yield* rows<Period>(`SELECT ${PERIOD} FROM periods ORDER BY first_seq DESC LIMIT 1`);
  if (last && run.last - last.first <= PERIOD_SIZE) {
    yield* rows('UPDATE periods SET last_seq = ?, oldest = ?, newest = ? WHERE first_seq = ?', [
      run.last,
      Math.min(last.oldest, run.oldest),
      Math.max(last.newest, run.newest),
      last.first,
    ]);
  } else {
    yield* rows('INSERT INTO periods (first_seq, last_seq, oldest, newest) VALUES (?, ?, ?, ?)', [
      run.first,
      run.last,
      run.oldest,
      run.newest,
    ]);
  }
}

/** Messages of a period were deleted: updates or deletes the period. */
export function* refreshPeriod(first: number): Script<void> {
  const [times] = yield* rows<{ oldest: number | null; newest: number | null }>(
    `SELECT min(messages.created_at) AS oldest, max(messages.created_at) AS newest
     FROM periods JOIN messages ON messages.seq BETWEEN periods.first_seq AND periods.last_seq
     WHERE periods.first_seq = ?`,
    [first],
  );
  if (!times || times.oldest === null || times.newest === null) {
    yield* rows('DELETE FROM periods WHERE first_seq = ?', [first]);
  } else {
    yield* rows('UPDATE periods SET oldest = ?, newest = ? WHERE first_seq = ?', [
      times.oldest,
      times.newest,
      first,
    ]);
  }
}
