/** Creates a value on first use: date formatters take a while, and opening the page must not wait for them. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
