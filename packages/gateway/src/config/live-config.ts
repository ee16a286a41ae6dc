import { RelayError } from '@agent-relay/protocol';
import { reasonOf } from '../backend/reason.ts';
import type { Log } from '../log/log.ts';
import { backendName } from './backend-config.ts';
import { type ConfiguredBackend, loadConfig } from './load.ts';
import { forgetBackend, saveBackend } from './save.ts';
import { VARIABLE_START } from './variables.ts';
import { type FileWatch, watchFiles } from './watch.ts';

export interface LiveConfigOptions {
  /** Read in this order. New backends are added to the first one. */
  files: string[];
  env?: NodeJS.ProcessEnv | undefined;
  directoryOf?: ((file: string) => string) | undefined;
  /** Why a backend may not have a name. */
  nameProblem?: ((name: string) => string | undefined) | undefined;
  /** A file that is watched too; `reread` is called before the configuration is read. */
  beside: { file: string | undefined; reread(): Promise<void> };
  /** Called with each configuration that is applied and the previous one. */
  apply(backends: ConfiguredBackend[], before: ConfiguredBackend[] | undefined): void;
  log: Log;
}

/** The current configuration. Watches its files and edits them, one change at a time. */
export class LiveConfig {
  readonly #options: LiveConfigOptions;
  #backends: ConfiguredBackend[] | undefined;
  #problem: string | undefined;
  #changing: Promise<void> = Promise.resolve();
  #watch: Promise<FileWatch> | undefined;
  #closed = false;

  constructor(options: LiveConfigOptions) {
    this.#options = options;
  }

  get backends(): readonly ConfiguredBackend[] {
    return this.#backends ?? [];
  }
  /** Why the files on disk are not applied. */
  get problem(): string | undefined {
    return this.#problem;
  }

  find(name: string): ConfiguredBackend | undefined {
    return this.backends.find(({ config }) => config.name === name);
  }

  /** Reads the files and watches them. Throws if one is invalid. */
  async start(): Promise<void> {
    await this.#load();
    const { files, beside, log } = this.#options;
    const watched = beside.file === undefined ? files : [...files, beside.file];
    if (watched.length === 0) return;
    this.#watch = watchFiles(
      watched,
      () => void this.reload(),
      (error) => log.error(`Cannot watch the configuration files: ${reasonOf(error)}`),
    );
    // Catch changes made before the watch was active.
    void this.#watch.then(() => this.reload());
  }

  /** Applies the files on disk. If one is invalid, the running configuration stays. */
  reload(): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      if (this.#closed) return;
      try {
        await this.#options.beside.reread();
        await this.#load();
      } catch (error) {
        this.#problem = error instanceof Error ? error.message : String(error);
        this.#options.log.error(`Configuration not applied: ${this.#problem}`);
      }
    });
    return this.#changing;
  }

  /**
   * Adds a backend and saves the file. URLs only: a tool call must not start programs. Variables are refused: they are
   * expanded when the file is read, so an agent could send parts of the environment anywhere.
   */
  async add(name: string, url: string): Promise<void> {
    const valid = backendName.safeParse(name);
    if (!valid.success) throw new RelayError('InvalidRequest', `The name ${valid.error.issues[0]?.message}.`);
    const parsed = /^(wss?|https?):\/\//i.test(url) && !/[\s\p{C}]/u.test(url) ? URL.parse(url) : null;
    if (!parsed) {
      throw new RelayError(
        'InvalidRequest',
        'The URL must start with ws://, wss://, http:// or https:// and contain no spaces.',
        { details: { field: 'url' } },
      );
    }
    if (url.includes(VARIABLE_START) || parsed.href.includes(VARIABLE_START)) {
      throw new RelayError(
        'InvalidRequest',
        `The URL contains a variable ("${VARIABLE_START}"). Variables work only in configuration files.`,
        {
          next: 'Use the plain address, or ask the owner to add the server to the configuration file.',
          details: { field: 'url' },
        },
      );
    }
    const problem = this.#options.nameProblem?.(name);
    if (problem !== undefined)
      throw new RelayError('NameTaken', `No server can be named '${name}': ${problem}.`, {
        next: 'Choose another name.',
      });
    if (this.find(name)) throw new RelayError('BackendExists', `A server named '${name}' already exists.`);
    const [file] = this.#options.files;
    if (file === undefined)
      throw new RelayError('InvalidBackendConfig', 'The gateway has no configuration file.');
    await this.#change(() => saveBackend(file, name, url));
  }

  /** Removes a backend and saves the file. */
  async remove(name: string): Promise<void> {
    await this.#change(() => forgetBackend(this.#options.files, name));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#watch)?.close();
    await this.#changing;
  }

  async #change(write: () => Promise<void>): Promise<void> {
    const done = this.#changing.then(async () => {
      await write();
      await this.#load();
    });
    this.#changing = done.catch(() => undefined);
    await done;
  }

  async #load(): Promise<void> {
    const { files, env = process.env, directoryOf, nameProblem, apply, log } = this.#options;
    const before = this.#backends;
    const loaded = await loadConfig(files, env, directoryOf);
    this.#backends = loaded.map((entry) => {
      const problem = entry.problem ?? nameProblem?.(entry.config.name);
      return problem === undefined ? entry : { ...entry, problem };
    });
    if (this.#problem !== undefined) log.info('The configuration is valid again.');
    this.#problem = undefined;
    apply(this.#backends, before);
  }
}
