import { dirname, join } from 'node:path';
import { ensureDirectory, readIfThere, writeAtomically } from '@agent-relay/platform';
import { reasonOf } from '../backend/reason.ts';
import { isObject } from '../json/raw-json.ts';
import { coversWhole, definitionHash } from './definition-hash.ts';

interface PinnedBackend {
  /** Hashes of accepted definitions, by tool. */
  approved: Record<string, string>;
  /** Definitions that need approval, by tool. */
  pending: Record<string, Pending>;
}

interface Pending {
  digest: string;
  definition: Record<string, unknown>;
}

/** A definition that needs approval, to show all of it to a person. */
export interface ChangedTool extends Pending {
  server: string;
  tool: string;
}

export interface PinReview {
  /** Tools whose definition differs from the approved one. */
  changed: string[];
  /** The digests of those definitions: an approval names the one that was shown. */
  digests: Map<string, string>;
  /** Those that are withheld, with the reason shown in the status. */
  withheld: Map<string, string>;
}

type ByBackend<T> = Map<string, T>;
/** Hash of the definition a person approved last, by tool. */
type Approvals = Record<string, string>;
type Warn = (line: string) => void;

/**
 * Remembers each tool definition when it is first seen, and notices later changes (a "rug pull"). With `strict`, changed
 * and added tools are withheld until a person approves them. Two files with one writer each: the gateway saves what it
 * saw, `approve` saves what a person approved, so neither overwrites the other.
 */
export class Pins {
  /** What a person approved, usually from another process. */
  readonly approvalsFile: string | undefined;
  readonly #file: string | undefined;
  readonly #backends: ByBackend<PinnedBackend>;
  readonly #warn: Warn;
  /** Backends already reported as approved by an older version. */
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

  /** Calls `warn` if something cannot be saved. */
  static async open(directory: string | undefined, warn: Warn): Promise<Pins> {
    if (directory === undefined) return new Pins(undefined, new Map(), new Map(), warn);
    // The directory must exist for an approval to be noticed.
    await ensureDirectory(directory).catch((error: unknown) =>
      warn(`Cannot save tool definitions: ${reasonOf(error)}`),
    );
    const [backends, approvals] = await readBoth(directory);
    return new Pins(directory, backends, approvals, warn);
  }

  /** Reads approvals made by another process. */
  async reload(): Promise<void> {
    if (this.approvalsFile !== undefined) this.#approvals = await readByBackend(this.approvalsFile);
  }

  review(backend: string, tools: unknown[], mode: 'off' | 'warn' | 'strict'): PinReview {
    const review: PinReview = { changed: [], digests: new Map(), withheld: new Map() };
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
      next.pending[name] = { digest: hash, definition: tool };
      review.changed.push(name);
      review.digests.set(name, hash);
      if (mode === 'strict')
        review.withheld.set(
          name,
          `${reasonFor(before)}, not approved yet. A person can approve it with: agent-relay gateway approve ${backend} ${name}`,
        );
    }
    if (JSON.stringify(known) !== JSON.stringify(next)) {
      this.#backends.set(backend, next);
      this.#write().catch((error: unknown) =>
        this.#warn(`Cannot save the tool definitions of ${backend}: ${reasonOf(error)}`),
      );
    }
    return review;
  }

  /** Approves one definition that needs it, as it was seen. Resolves with false if it is another one by now. */
  async approve(backend: string, tool: string, digest: string): Promise<boolean> {
    if (this.#backends.get(backend)?.pending[tool]?.digest !== digest) return false;
    const known =
      this.approvalsFile === undefined ? this.#approvals : await readByBackend<Approvals>(this.approvalsFile);
    this.#approvals = known.set(backend, { ...known.get(backend), [tool]: digest });
    if (this.approvalsFile !== undefined) await writeByBackend(this.approvalsFile, this.#approvals);
    return true;
  }

  #tellOlder(backend: string): void {
    if (this.#toldOlder.has(backend)) return;
    this.#toldOlder.add(backend);
    this.#warn(
      `${backend}: its tools were approved by an older version that checked less. Approve them again with: agent-relay gateway approve ${backend}`,
    );
  }

  /** Resolves when everything is saved or has failed. */
  async saved(): Promise<void> {
    await this.#writing.catch(() => undefined /* reported by the writer */);
  }

  #write(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return this.#writing;
    // Writes are serialized, so the last state wins.
    this.#writing = this.saved().then(() => writeByBackend(file, this.#backends));
    return this.#writing;
  }
}

/** The definitions in a gateway's directory that need approval: all, those of one backend, or one tool. */
export async function changedIn(
  directory: string,
  only: { server?: string | undefined; tool?: string | undefined } = {},
): Promise<ChangedTool[]> {
  const [backends, approvals] = await readBoth(directory);
  return [...backends].flatMap(([server, { pending }]) =>
    Object.entries(pending).flatMap(([tool, { digest, definition }]) => {
      const isWanted = (only.server ?? server) === server && (only.tool ?? tool) === tool;
      const isApproved = approvals.get(server)?.[tool] === digest;
      return isWanted && !isApproved ? [{ server, tool, digest, definition }] : [];
    }),
  );
}

/** Approves the definition that was shown. A running gateway notices at once. Resolves with false if it is another one by now. */
export async function approveIn(
  directory: string,
  { server, tool, digest }: Omit<ChangedTool, 'definition'>,
): Promise<boolean> {
  const [backends, approvals] = await readBoth(directory);
  if (backends.get(server)?.pending[tool]?.digest !== digest) return false;
  approvals.set(server, { ...approvals.get(server), [tool]: digest });
  await writeByBackend(approvalsIn(directory), approvals);
  return true;
}

const reasonFor = (before: string | undefined): string => {
  if (before === undefined) return 'New tool';
  return coversWhole(before) ? 'Changed definition' : 'Approved by an older version that checked less';
};

const pinsIn = (directory: string): string => join(directory, 'pins.json');
const approvalsIn = (directory: string): string => join(directory, 'approvals.json');

const readBoth = async (directory: string): Promise<[ByBackend<PinnedBackend>, ByBackend<Approvals>]> => {
  const [pins, approvals] = await Promise.all([
    readByBackend<PinnedBackend>(pinsIn(directory)),
    readByBackend<Approvals>(approvalsIn(directory)),
  ]);
  for (const [backend, pinned] of pins) pins.set(backend, { ...pinned, pending: shownAs(pinned.pending) });
  return [pins, approvals];
};

/** Those that are what their digests say: only what a person can read can be approved. A gateway that runs keeps the rest again. */
const shownAs = (pending: Record<string, Pending>): Record<string, Pending> =>
  Object.fromEntries(
    Object.entries(pending).filter(
      ([, { definition, digest }]) => isObject(definition) && definitionHash(definition) === digest,
    ),
  );

async function readByBackend<T>(file: string): Promise<ByBackend<T>> {
  const content = (await readIfThere(file)) ?? '{}';
  return new Map(Object.entries(JSON.parse(content) as Record<string, T>));
}

async function writeByBackend(file: string, entries: ByBackend<unknown>): Promise<void> {
  await ensureDirectory(dirname(file));
  await writeAtomically(file, JSON.stringify(Object.fromEntries(entries), null, 2));
}
