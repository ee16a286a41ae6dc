/** An item in its place, or what is left of one that has ended. */
export interface Placed<T> {
  item: T;
  hasEnded: boolean;
}

/**
 * The order while a person points at the list or writes in it: nothing there moves. What arrives stands at the end, what has
 * ended keeps its place.
 */
export function steadily<T extends { id: string }>(
  before: readonly Placed<T>[],
  items: readonly T[],
  mayGo: (item: T) => boolean,
): Array<Placed<T>> {
  const byId = new Map(items.map((item) => [item.id, item]));
  const kept = before.flatMap((placed): Array<Placed<T>> => {
    const item = byId.get(placed.item.id);
    byId.delete(placed.item.id);
    if (item) return [{ item, hasEnded: false }];
    return mayGo(placed.item) ? [] : [{ ...placed, hasEnded: true }];
  });
  return [...kept, ...[...byId.values()].map((item) => ({ item, hasEnded: false }))];
}
