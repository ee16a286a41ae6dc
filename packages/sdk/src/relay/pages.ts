/** One page of a list, and the cursor of the next one if there is more. */
export interface Page<Entry> {
  entries: Entry[];
  next?: string | undefined;
}

/** All entries of a list that the daemon returns page by page. */
export async function allPages<Entry>(
  ask: (cursor: string | undefined) => Promise<Page<Entry>>,
): Promise<Entry[]> {
  const all: Entry[] = [];
  let cursor: string | undefined;
  do {
    const { entries, next } = await ask(cursor);
    all.push(...entries);
    cursor = next;
  } while (cursor !== undefined);
  return all;
}
