const EVERY_MS = 10;

/** Looks until there is something to see, for what happens by itself; rejects with the reason when the time is over. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  deadlineMs = 30_000,
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    let problem: unknown = new Error(`did not happen within ${deadlineMs} ms: ${look}`);
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      problem = error;
    }
    if (performance.now() > end) throw problem;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
