import { buildCatalog, type Catalog, type CatalogSource } from '../../catalog/catalog.ts';
import type { Definition } from '../../catalog/validate-tool.ts';

export type ListName = 'tools' | 'prompts' | 'resources';

/** A catalog that follows its backends, and says which of the lists a client sees are different. */
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

  /** Something behind it changed. Many changes at once, as at start, are one rebuild. */
  invalidate(): void {
    if (this.#stale) return;
    this.#stale = true;
    setImmediate(() => this.refresh());
  }

  /** Takes over what changed, and says so, without waiting. */
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
