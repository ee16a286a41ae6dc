/** Makes a value when it is first wanted: formatters of dates take a while, and opening the page does not wait for them. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
