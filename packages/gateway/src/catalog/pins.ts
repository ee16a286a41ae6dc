import { dirname, join } from 'node:path';
import { ensureDirectory, readIfThere, writeAtomically } from '@agent-relay/platform';
import { reasonOf } from '../backend/reason.ts';
import { isObject } from '../json/raw-json.ts';
import { coversWhole, definitionHash } from './definition-hash.ts';

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

type ByBackend<T> = Map<string, T>;
/** Hash of each tool's definition that a person accepted last. */
type Approvals = Record<string, string>;
type Warn = (line: string) => void;

/**
 * Remembers what each tool looked like when it was first seen. A server that later changes what a tool says (a "rug
 * pull") is noticed; under `strict` the changed or added tool is held back until a person approves it. Each of the two
 * files has one writer: the gateway notes what it saw, a person what they approve, and neither undoes the other.
 */
export class Pins {
  /** What a person approved, which may be another process's doing. */
  readonly approvalsFile: string | undefined;
  readonly #file: string | undefined;
  readonly #backends: ByBackend<PinnedBackend>;
  readonly #warn: Warn;
  /** Backends of which it was told that an older version approved their tools. */
  readonly #toldOlder = new Set<string>();
  #approvals: ByBackend<Approvals>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    directory: string | undefined,
    backends: ByBackend<PinnedBackend>,
    approvals: ByBackend<Approvals>,
    warn: Warn,
  ) {
    this.#file = directory && pinsIn(directory);
    this.approvalsFile = directory && approvalsIn(directory);
    this.#backends = backends;
    this.#approvals = approvals;
    this.#warn = warn;
  }

  /** `warn` is told when what was seen cannot be written down. */
  static async open(directory: string | undefined, warn: Warn): Promise<Pins> {
    if (directory === undefined) return new Pins(undefined, new Map(), new Map(), warn);
    // An approval may come before anything was noted: only in a directory that is there it is noticed.
    await ensureDirectory(directory).catch((error: unknown) =>
      warn(`What the tools look like is not remembered: ${reasonOf(error)}`),
    );
    const [backends, approvals] = await readBoth(directory);
    return new Pins(directory, backends, approvals, warn);
  }

  /** Takes over what another process approved. */
  async reload(): Promise<void> {
    if (this.approvalsFile !== undefined) this.#approvals = await readByBackend(this.approvalsFile);
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
      const isFirstSight = before === undefined && !(known && mode === 'strict');
      if (isFirstSight || this.#approvals.get(backend)?.[name] === hash) {
        next.approved[name] = hash;
        continue;
      }
      if (before !== undefined && !coversWhole(before)) this.#tellOlder(backend);
      next.pending[name] = hash;
      review.changed.push(name);
      if (mode === 'strict')
        review.withheld.set(
          name,
          `${reasonFor(before)}: withheld until "agent-relay gateway approve ${backend} ${name}"`,
        );
    }
    if (JSON.stringify(known) !== JSON.stringify(next)) {
      this.#backends.set(backend, next);
      this.#write().catch((error: unknown) =>
        this.#warn(`What the tools of ${backend} look like is not remembered: ${reasonOf(error)}`),
      );
    }
    return review;
  }

  #tellOlder(backend: string): void {
    if (this.#toldOlder.has(backend)) return;
    this.#toldOlder.add(backend);
    this.#warn(
      `${backend}: its tools were approved by an older version, which compared less of them. They count as changed until "agent-relay gateway approve ${backend}".`,
    );
  }

  /** Resolves when everything is on disk, or cannot be. */
  async saved(): Promise<void> {
    await this.#writing.catch(() => undefined /* whoever had it written was told */);
  }

  #write(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return this.#writing;
    // One after the other: the last state is the one that stays.
    this.#writing = this.saved().then(() => writeByBackend(file, this.#backends));
    return this.#writing;
  }
}

/**
 * Accepts what waits in a gateway's directory: one tool, or all of a backend, or everything. Returns what was approved. A
 * running gateway takes it over at once, another one when it starts.
 */
export async function approveIn(directory: string, backend?: string, tool?: string): Promise<string[]> {
  const [backends, approvals] = await readBoth(directory);
  const approved: string[] = [];
  for (const [name, { pending }] of backends) {
    if (backend !== undefined && name !== backend) continue;
    const accepted = approvals.get(name) ?? {};
    for (const [waiting, hash] of Object.entries(pending)) {
      if ((tool !== undefined && waiting !== tool) || accepted[waiting] === hash) continue;
      approvals.set(name, accepted);
      accepted[waiting] = hash;
      approved.push(`${name}.${waiting}`);
    }
  }
  if (approved.length > 0) await writeByBackend(approvalsIn(directory), approvals);
  return approved;
}

const reasonFor = (before: string | undefined): string => {
  if (before === undefined) return 'New tool';
  return coversWhole(before)
    ? 'Changed definition'
    : 'Approved by an older version, which compared less of it';
};

const pinsIn = (directory: string): string => join(directory, 'pins.json');
const approvalsIn = (directory: string): string => join(directory, 'approvals.json');

const readBoth = (directory: string): Promise<[ByBackend<PinnedBackend>, ByBackend<Approvals>]> =>
  Promise.all([
    readByBackend<PinnedBackend>(pinsIn(directory)),
    readByBackend<Approvals>(approvalsIn(directory)),
  ]);

async function readByBackend<T>(file: string): Promise<ByBackend<T>> {
  const content = (await readIfThere(file)) ?? '{}';
  return new Map(Object.entries(JSON.parse(content) as Record<string, T>));
}

async function writeByBackend(file: string, entries: ByBackend<unknown>): Promise<void> {
  await ensureDirectory(dirname(file));
  await writeAtomically(file, JSON.stringify(Object.fromEntries(entries), null, 2));
}
