type Listener<Arguments extends unknown[]> = (...values: Arguments) => void;

/** Calls a function of the application: if it throws, that is an uncaught error of the application, not of the client. */
export function callApplication<Arguments extends unknown[]>(
  call: Listener<Arguments>,
  ...values: Arguments
): void {
  try {
    call(...values);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Typed events: `Events` maps each name to the arguments of its listeners. */
export class Emitter<Events extends { [Name in keyof Events]: unknown[] }> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** Listens until the function it returns is called. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    // Wrapped, so that the same function can listen twice and stop once.
    const own: Listener<Events[Name]> = (...values) => listener(...values);
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(own));
    return () => void listeners.delete(own);
  }

  /** False if nobody listens. */
  emit<Name extends keyof Events>(name: Name, ...values: Events[Name]): boolean {
    const listeners = this.#listeners.get(name) as Set<Listener<Events[Name]>> | undefined;
    if (listeners === undefined) return false;
    for (const listener of listeners) callApplication(listener, ...values);
    return listeners.size > 0;
  }
}
