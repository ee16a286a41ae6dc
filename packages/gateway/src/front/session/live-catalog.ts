import { buildCatalog, type Catalog, type CatalogSource } from '../../catalog/catalog.ts';
import type { Definition } from '../../catalog/validate-tool.ts';

export type ListName = 'tools' | 'prompts' | 'resources';

/** A catalog that follows its backends and reports which client-visible lists changed. */
export class LiveCatalog {
  readonly #sources: () => CatalogSource[];
  readonly #ownTools: Definition[];
  readonly #changed: (list: ListName) => void;
  #current: Catalog;
  #stale = false;

  constructor(sources: () => CatalogSource[], ownTools: Definition[], changed: (list: ListName) => void) {
    this.#sources = sources;
    this.#ownTools = ownTools;
    this.#changed = changed;
    this.#current = buildCatalog(sources(), ownTools);
  }

  get current(): Catalog {
    this.refresh();
    return this.#current;
  }

  /** Marks the catalog as outdated. Changes in one turn of the event loop cause one rebuild. */
  invalidate(): void {
    if (this.#stale) return;
    this.#stale = true;
    setImmediate(() => this.refresh());
  }

  /** Rebuilds now if outdated, and reports what changed. */
  refresh(): void {
    if (!this.#stale) return;
    this.#stale = false;
    const before = this.#current.lists;
    this.#current = buildCatalog(this.#sources(), this.#ownTools);
    const { tools, prompts, resources, templates } = this.#current.lists;
    if (!before.tools.equals(tools)) this.#changed('tools');
    if (!before.prompts.equals(prompts)) this.#changed('prompts');
    if (!before.resources.equals(resources) || !before.templates.equals(templates))
      this.#changed('resources');
  }
}
