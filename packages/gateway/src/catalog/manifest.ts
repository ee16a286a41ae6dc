import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureDirectory, writeAtomically } from '@agent-relay/platform';
import type { Remembered } from '../backend/backend.ts';
import { reasonOf } from '../backend/reason.ts';
import { isObject } from '../json/raw-json.ts';

type Warn = (line: string) => void;
type Entry = Remembered & { fingerprint: string };

/**
 * Remembers what each backend offered, so that lists are available before the backends are. It is a cache: an unreadable
 * file counts as empty, and one that cannot be written is only reported.
 */
export class Manifest {
  readonly #file: string | undefined;
  readonly #entries: Map<string, Entry>;
  readonly #warn: Warn;
  #saving: NodeJS.Timeout | undefined;

  private constructor(file: string | undefined, entries: Map<string, Entry>, warn: Warn) {
    this.#file = file;
    this.#entries = entries;
    this.#warn = warn;
  }

  static async open(directory: string | undefined, warn: Warn): Promise<Manifest> {
    if (directory === undefined) return new Manifest(undefined, new Map(), warn);
    const file = join(directory, 'manifest.json');
    const content: unknown = await readFile(file, 'utf8')
      .then(JSON.parse)
      .catch(() => ({}));
    return new Manifest(
      file,
      new Map(isObject(content) ? Object.entries(content as Record<string, Entry>) : []),
      warn,
    );
  }

  recall(backend: string, fingerprint: string): Remembered | undefined {
    const entry = this.#entries.get(backend);
    return entry?.fingerprint === digest(fingerprint) ? { era: entry.era, lists: entry.lists } : undefined;
  }

  keep(backend: string, fingerprint: string, remembered: Remembered): void {
    this.#entries.set(backend, { fingerprint: digest(fingerprint), ...remembered });
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => void this.save(), 200);
    this.#saving.unref();
  }

  async save(): Promise<void> {
    clearTimeout(this.#saving);
    if (this.#file === undefined || this.#entries.size === 0) return;
    try {
      await ensureDirectory(dirname(this.#file));
      await writeAtomically(this.#file, JSON.stringify(Object.fromEntries(this.#entries)));
    } catch (error) {
      this.#warn(`Cannot save the lists of the servers: ${reasonOf(error)}`);
    }
  }
}

/** Fingerprints contain headers and variables, so only their hash is stored. */
const digest = (fingerprint: string): string => createHash('sha256').update(fingerprint).digest('hex');
