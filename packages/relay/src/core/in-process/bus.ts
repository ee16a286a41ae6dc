import type { Bus, NewsListener } from '../ports/bus.ts';

/** A bus for the daemons of one process, usually one. Each calls `join`. */
export class InProcessBus {
  readonly #daemons = new Set<Set<NewsListener>>();

  join(): Bus {
    const own = new Set<NewsListener>();
    this.#daemons.add(own);
    return {
      publish: (news) => {
        for (const listeners of this.#daemons)
          for (const listener of listeners) listener(news, listeners === own);
      },
      subscribe: (listener) => {
        own.add(listener);
        return () => own.delete(listener);
      },
    };
  }
}
