import { RelayError } from '@agent-relay/protocol';
import { reasonOf } from '../backend/reason.ts';
import type { Log } from '../log/log.ts';
import { backendName } from './backend-config.ts';
import { type ConfiguredBackend, loadConfig } from './load.ts';
import { forgetBackend, saveBackend } from './save.ts';
import { VARIABLE_START } from './variables.ts';
import { type FileWatch, watchFiles } from './watch.ts';

export interface LiveConfigOptions {
  /** Read in this order; the first one takes what is added. */
  files: string[];
  env?: NodeJS.ProcessEnv | undefined;
  directoryOf?: ((file: string) => string) | undefined;
  /** A file that is watched with them, and read anew by `reread` before they are. */
  beside: { file: string | undefined; reread(): Promise<void> };
  /** Called with each configuration that is applied, and the one before it. */
  apply(backends: ConfiguredBackend[], before: ConfiguredBackend[] | undefined): void;
  log: Log;
}

/** The configuration as the files have it now. They are watched, and changed here, one change at a time. */
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
  /** Why what the files say now is not in effect. */
  get problem(): string | undefined {
    return this.#problem;
  }

  find(name: string): ConfiguredBackend | undefined {
    return this.backends.find(({ config }) => config.name === name);
  }

  /** Reads the files and watches them. A mistake in one throws. */
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
    // What changed between reading and watching is not missed.
    void this.#watch.then(() => this.reload());
  }

  /** Takes over what the files say now; a mistake keeps the running configuration. */
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
   * Adds a backend and saves it. URLs only: whoever may call a tool may not start programs. Nothing in it may look like
   * a variable: the file is read with variables expanded, and an agent is not to have the environment sent anywhere.
   */
  async add(name: string, url: string): Promise<void> {
    const valid = backendName.safeParse(name);
    if (!valid.success) throw new RelayError('InvalidRequest', `The name ${valid.error.issues[0]?.message}.`);
    const parsed = /^(wss?|https?):\/\//i.test(url) && !/[\s\p{C}]/u.test(url) ? URL.parse(url) : null;
    if (!parsed) {
      throw new RelayError(
        'InvalidRequest',
        'The URL must begin with ws://, wss://, http:// or https://, and have no spaces.',
        { details: { field: 'url' } },
      );
    }
    if (url.includes(VARIABLE_START) || parsed.href.includes(VARIABLE_START)) {
      throw new RelayError(
        'InvalidRequest',
        `The URL has a variable ("${VARIABLE_START}"), which only a file may have.`,
        {
          next: 'Write the address itself, or ask the owner to add the server to the file of servers.',
          details: { field: 'url' },
        },
      );
    }
    if (this.find(name)) throw new RelayError('BackendExists', `A server named '${name}' exists.`);
    const [file] = this.#options.files;
    if (file === undefined)
      throw new RelayError('InvalidBackendConfig', 'The gateway has no configuration file.');
    await this.#change(() => saveBackend(file, name, url));
  }

  /** Removes a backend and saves that. */
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
    const { files, env = process.env, directoryOf, apply, log } = this.#options;
    const before = this.#backends;
    this.#backends = await loadConfig(files, env, directoryOf);
    if (this.#problem !== undefined) log.info('The configuration is valid again.');
    this.#problem = undefined;
    apply(this.#backends, before);
  }
}
