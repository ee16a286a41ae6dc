import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '@agent-relay/platform';
import type { ClaimingPath, ReasonInput } from '@agent-relay/protocol';

export interface ProvenCli {
  word: string;
  /** The version that runs, if it is known. */
  version: string | undefined;
  /** The versions that its paths were tried with; absent for a CLI that the user described, which needs no proof. */
  proven: readonly string[] | undefined;
  /** Paths that the relay cannot use with this CLI. */
  unusable?: readonly ClaimingPath[];
  /** Where proofs are stored on this machine. */
  directory: string;
}

/**
 * Whether the paths into a CLI work in the version that runs. In an untested version, the first message proves its path:
 * its id is unique, so seeing it in the CLI shows that the path works. A path that fails is not used again in this run.
 */
export class PathProof {
  readonly #cli: ProvenCli;
  readonly #proven: Set<ClaimingPath> | 'all';
  readonly #failed: Set<ClaimingPath>;
  /** A path was proven, or has failed. */
  onChange: (path: ClaimingPath) => void = () => undefined;

  constructor(cli: ProvenCli) {
    this.#cli = cli;
    this.#failed = new Set(cli.unusable);
    const isTried = cli.proven === undefined || cli.proven.includes(cli.version ?? '');
    this.#proven = isTried ? 'all' : new Set(this.#noted());
  }

  /** Why this path cannot be relied on yet. */
  doubt(path: ClaimingPath): ReasonInput | undefined {
    if (this.#proven === 'all' || this.#proven.has(path)) return undefined;
    const { word, version } = this.#cli;
    return { code: 'unproven', detail: version === undefined ? word : `${word} ${version}` };
  }

  hasFailed(path: ClaimingPath): boolean {
    return this.#proven !== 'all' && this.#failed.has(path);
  }

  /** What was seen of a message that went in by it. */
  observed(path: ClaimingPath, state: 'injected' | 'turn_started' | 'uncertain'): void {
    if (this.#proven === 'all' || this.#proven.has(path)) return;
    if (state === 'uncertain') this.#failed.add(path);
    else {
      this.#failed.delete(path);
      this.#proven.add(path);
      this.#note(path);
    }
    this.onChange(path);
  }

  /** One empty file for each path of each version: several runs may note the same. */
  #note(path: ClaimingPath): void {
    const { directory, version } = this.#cli;
    if (version === undefined) return;
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(join(directory, `${this.#prefix}${path}`), '', { mode: 0o600 });
    } catch (error) {
      // A full disk, for example. Delivery continues, and the next run proves the path again.
      if (!(error instanceof Error && 'syscall' in error)) throw error;
    }
  }

  #noted(): ClaimingPath[] {
    if (this.#cli.version === undefined) return [];
    try {
      const names = readdirSync(this.#cli.directory).filter((name) => name.startsWith(this.#prefix));
      return names.map((name) => name.slice(this.#prefix.length) as ClaimingPath);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  get #prefix(): string {
    const { word, version = '' } = this.#cli;
    return `${word}@${version.replaceAll(/[^\w.-]/g, '_')}.`;
  }
}
