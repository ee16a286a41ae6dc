import { createHash } from 'node:crypto';
import type { TransferRecord } from './ports/messaging-store.ts';

/** What an export amounts to: as long as two of these are equal, so are the exports. */
export interface Tally {
  counts: Partial<Record<TransferRecord['type'], number>>;
  /** SHA-256 of the hash before and the next record, one after the other. */
  sha256: string;
}

export const EMPTY_TALLY: Tally = { counts: {}, sha256: '' };

export function tally(before: Tally, records: TransferRecord[]): Tally {
  const counts = { ...before.counts };
  let { sha256 } = before;
  for (const record of records) {
    counts[record.type] = (counts[record.type] ?? 0) + 1;
    sha256 = createHash('sha256').update(sha256).update(canonical(record)).digest('hex');
  }
  return { counts, sha256 };
}

/** JSON with the keys of every object in order: one text for one meaning. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
