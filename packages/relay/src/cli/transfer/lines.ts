import { createHash } from 'node:crypto';
import { safeJson, type TransferRecord } from '@agent-relay/protocol';

/**
 * An export is a JSON Lines file: a header, the records, a footer. The footer has the number of records of each type
 * and the SHA-256 of their lines, so that a truncated or changed file is noticed.
 */
export interface Head {
  type: 'export';
  version: 1;
  project: string;
  exportedAt: number;
}

export interface End {
  type: 'end';
  counts: Record<string, number>;
  sha256: string;
}

export const lineOf = (value: Head | TransferRecord | End): string => `${safeJson(JSON.stringify(value))}\n`;

/** Counts and hashes the lines of records. */
export class RecordCount {
  readonly #hash = createHash('sha256');
  readonly #counts: Record<string, number> = {};

  add(type: string, line: string): void {
    this.#hash.update(line);
    this.#counts[type] = (this.#counts[type] ?? 0) + 1;
  }

  get end(): End {
    return { type: 'end', counts: this.#counts, sha256: this.#hash.copy().digest('hex') };
  }
}

export const total = ({ counts }: End): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** `3 agents, 12 messages`, in the order of the file. */
export const summary = ({ counts }: End): string =>
  Object.entries(counts)
    .map(([type, count]) => {
      const [one, many] = NAMES[type] ?? [type, `${type}s`];
      return `${count} ${count === 1 ? one : many}`;
    })
    .join(', ');

const NAMES: Record<string, [one: string, many: string]> = {
  delivery: ['delivery', 'deliveries'],
  content: ['piece of a file', 'pieces of files'],
  attachment: ['file', 'files'],
};
