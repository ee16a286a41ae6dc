/** What an agent says it can do: a category such as `code_review`, or one with a description in its own words. */
export type Capability = string | { category: string; description: string };

export const categoryOf = (declared: Capability): string =>
  typeof declared === 'string' ? declared : declared.category;

export const categoriesOf = (declared: readonly Capability[]): string[] => declared.map(categoryOf);

/** The descriptions by category; undefined if there are none. */
export function descriptionsOf(declared: readonly Capability[]): Record<string, string> | undefined {
  const described = declared.flatMap((one) =>
    typeof one === 'string' ? [] : [[one.category, one.description] as const],
  );
  return described.length === 0 ? undefined : Object.fromEntries(described);
}
