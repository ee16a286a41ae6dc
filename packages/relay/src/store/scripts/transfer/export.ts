import { possibleTime, RelayError, type TransferRecord } from '@agent-relay/protocol';
import type { Script } from '../script.ts';
import { type Line, MAX_PAGE_BYTES, type Position, SECTIONS } from './export-sections.ts';

const isTime = (field: string): boolean => field === 'at' || field.endsWith('At');

/** Earlier versions imported impossible times. Imports now refuse them, so exports must not contain them. */
const withPossibleTimes = (record: TransferRecord): TransferRecord =>
  Object.fromEntries(
    Object.entries(record).map(([field, value]) => [
      field,
      isTime(field) && typeof value === 'number' ? possibleTime(value) : value,
    ]),
  ) as TransferRecord;

/** A cursor is the number of a section and a position in it. */
function parseCursor(cursor: string): [section: number, ...after: Position] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(cursor);
  } catch (cause) {
    throw invalidCursor(cause);
  }
  if (isCursor(parsed)) return parsed;
  throw invalidCursor();
}

function isCursor(value: unknown): value is [section: number, ...after: Position] {
  if (!Array.isArray(value)) return false;
  const [section, ...after] = value;
  const layout = Number.isInteger(section) ? SECTIONS[section] : undefined;
  if (!layout) return false;
  const [, ...kinds] = layout;
  const isOf = (kind: string, part: unknown) =>
    kind === 'number' ? Number.isSafeInteger(part) : typeof part === 'string';
  return after.length === kinds.length && kinds.every((kind, index) => isOf(kind, after[index]));
}

const invalidCursor = (cause?: unknown): RelayError =>
  new RelayError('InvalidRequest', 'cursor: is not valid.', {
    details: { field: 'cursor' },
    cause,
  });

/** As many lines as fit in a page, at least one. */
function fitting(lines: Line[]): Line[] {
  let bytes = 0;
  const end = lines.findIndex(({ record }, index) => {
    bytes += JSON.stringify(record).length;
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

export const queries = {
  *exportPage(
    workspaceId: number,
    cursor: string | undefined,
    limit: number,
  ): Script<{ records: TransferRecord[]; next: string | undefined }> {
    let [section, ...after]: [number, ...Position] = cursor === undefined ? [0] : parseCursor(cursor);
    for (; section < SECTIONS.length; section++) {
      const [read] = SECTIONS[section] as (typeof SECTIONS)[number];
      const lines = fitting(yield* read(workspaceId, after, limit));
      const last = lines.at(-1);
      if (last) {
        const records = lines.map(({ record }) => withPossibleTimes(record));
        return { records, next: JSON.stringify([section, ...last.at]) };
      }
      after = [];
    }
    return { records: [], next: undefined };
  },
};
