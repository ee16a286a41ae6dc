import type { Backend } from '../../backend/backend.ts';
import type { ResourceWatcher } from './context.ts';

/** Watchers of the shared backends' resources. A backend gets one subscription for all of them. */
export class ResourceWatchers {
  readonly #backends: Iterable<Backend>;
  readonly #byUri = new Map<string, Set<ResourceWatcher>>();

  /** `backends` iterates over those that are running at the time. */
  constructor(backends: Iterable<Backend>) {
    this.#backends = backends;
  }

  watch(watcher: ResourceWatcher, uri: string, backend: Backend): void {
    const watchers = this.#byUri.get(uri) ?? new Set();
    this.#byUri.set(uri, watchers);
    watchers.add(watcher);
    backend.watch(uri);
  }

  unwatch(watcher: ResourceWatcher, uri: string): void {
    const watchers = this.#byUri.get(uri);
    if (!watchers?.delete(watcher) || watchers.size > 0) return;
    this.#byUri.delete(uri);
    for (const backend of this.#backends) backend.unwatch(uri);
  }

  forget(watcher: ResourceWatcher): void {
    for (const uri of [...this.#byUri.keys()]) this.unwatch(watcher, uri);
  }

  updated(uri: string): void {
    for (const watcher of this.#byUri.get(uri) ?? []) watcher.resourceUpdated(uri);
  }
}
