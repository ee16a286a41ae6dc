import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../backend/reason.ts';
import { writeAtomically } from '../config/save.ts';
import { isObject } from '../json/raw-json.ts';

interface PinnedBackend {
  /** Hash of each tool's definition that was accepted. */
  approved: Record<string, string>;
  /** Hash of each definition that waits for a person. */
  pending: Record<string, string>;
}

export interface PinReview {
  /** Tools whose definition is not the approved one. */
  changed: string[];
  /** Those of them that are held back, with the reason shown in status. */
  withheld: Map<string, string>;
}

/**
 * Remembers what each tool looked like when it was first seen. A server that later changes what a tool says (a "rug
 * pull") is noticed; under `strict` the changed or added tool is held back until a person approves it.
 */
export class Pins {
  readonly file: string | undefined;
  readonly #backends: Map<string, PinnedBackend>;
  readonly #warn: (line: string) => void;
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    file: string | undefined,
    backends: Map<string, PinnedBackend>,
    warn: (line: string) => void,
  ) {
    this.file = file;
    this.#backends = backends;
    this.#warn = warn;
  }

  /** `warn` is told when what was seen cannot be written down. */
  static async open(directory: string | undefined, warn: (line: string) => void): Promise<Pins> {
    const file = directory === undefined ? undefined : join(directory, 'pins.json');
    return new Pins(file, file === undefined ? new Map() : await readPins(file), warn);
  }

  /**
   * Takes over what another process approved. What the file lacks is kept: a missing entry would mean "never seen",
   * and approve whatever the backend says next.
   */
  async reload(): Promise<void> {
    await this.saved();
    if (this.file === undefined) return;
    for (const [backend, pins] of await readPins(this.file)) this.#backends.set(backend, pins);
  }

  review(backend: string, tools: unknown[], mode: 'off' | 'warn' | 'strict'): PinReview {
    const review: PinReview = { changed: [], withheld: new Map() };
    if (mode === 'off' || tools.length === 0) return review;
    const known = this.#backends.get(backend);
    const next: PinnedBackend = { approved: { ...known?.approved }, pending: {} };
    for (const tool of tools) {
      if (!isObject(tool) || typeof tool.name !== 'string') continue;
      const name = tool.name;
      const hash = definitionHash(tool);
      const before = known?.approved[name];
      if (before === hash) continue;
      if (before === undefined && !(known && mode === 'strict')) {
        next.approved[name] = hash;
        continue;
      }
      next.pending[name] = hash;
      review.changed.push(name);
      const what = before === undefined ? 'New tool' : 'Changed definition';
      if (mode === 'strict')
        review.withheld.set(name, `${what}: withheld until "agent-relay gateway approve ${backend} ${name}"`);
    }
    if (JSON.stringify(known) !== JSON.stringify(next)) {
      this.#backends.set(backend, next);
      this.#write().catch((error: unknown) =>
        this.#warn(`What the tools of ${backend} look like is not remembered: ${reasonOf(error)}`),
      );
    }
    return review;
  }

  /** Accepts what waits: one tool, or all of a backend, or everything. Returns what was approved. */
  async approve(backend?: string, tool?: string): Promise<string[]> {
    const approved: string[] = [];
    for (const [name, pins] of this.#backends) {
      if (backend !== undefined && name !== backend) continue;
      for (const [waiting, hash] of Object.entries(pins.pending)) {
        if (tool !== undefined && waiting !== tool) continue;
        pins.approved[waiting] = hash;
        delete pins.pending[waiting];
        approved.push(`${name}.${waiting}`);
      }
    }
    if (approved.length > 0) await this.#write();
    return approved;
  }

  /** Resolves when everything is on disk, or cannot be. */
  async saved(): Promise<void> {
    await this.#writing.catch(() => undefined /* whoever had it written was told */);
  }

  #write(): Promise<void> {
    const { file } = this;
    if (file === undefined) return this.#writing;
    const save = async () => {
      this.#keepApprovals(await readPins(file));
      await writeAtomically(file, JSON.stringify(Object.fromEntries(this.#backends), null, 2), 0o600);
    };
    // One after the other: the last state is the one that stays.
    this.#writing = this.saved().then(save);
    return this.#writing;
  }

  /** What another process approved a moment ago is not undone by writing what was known before. */
  #keepApprovals(saved: Map<string, PinnedBackend>): void {
    for (const [backend, { approved, pending }] of this.#backends) {
      for (const [tool, hash] of Object.entries(pending)) {
        if (saved.get(backend)?.approved[tool] !== hash) continue;
        approved[tool] = hash;
        delete pending[tool];
      }
    }
  }
}

async function readPins(file: string): Promise<Map<string, PinnedBackend>> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return new Map(Object.entries(JSON.parse(content) as Record<string, PinnedBackend>));
}

/** What a model is told about a tool: its name, its description and its schema. */
const definitionHash = ({ name, description, inputSchema }: Record<string, unknown>): string =>
  createHash('sha256')
    .update(JSON.stringify([name, description, inputSchema]))
    .digest('hex');
