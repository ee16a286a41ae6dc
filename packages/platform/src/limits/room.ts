/** Something with a limited number of places, such as a session. */
export interface Occupant {
  /** The account it belongs to. */
  readonly account: string;
  /** It can be ended without interrupting anyone. */
  readonly isIdle: boolean;
}

export interface Room {
  most: number;
  /** The maximum per account. */
  mostOfAccount: number;
}

/**
 * Which one to end so that an account can have one more: none, an idle one, or `full`, because the account or all
 * together are at the limit and none is idle. An account at its limit loses one of its own.
 * If the total is at its limit, the account with the most loses one. `present` is ordered by last use.
 */
export function makeRoom<One extends Occupant>(
  present: Iterable<One>,
  account: string,
  { most, mostOfAccount }: Room,
): { leaves?: One; full?: 'account' | 'all' } {
  const byAccount = Map.groupBy(present, (one) => one.account);
  const own = byAccount.get(account) ?? [];
  if (own.length >= mostOfAccount) return leaving(own) ?? { full: 'account' };
  const groups = [...byAccount.values()];
  if (groups.reduce((sum, { length }) => sum + length, 0) < most) return {};
  const largestFirst = groups.sort((one, other) => other.length - one.length);
  for (const group of largestFirst) {
    const found = leaving(group);
    if (found) return found;
  }
  return { full: 'all' };
}

function leaving<One extends Occupant>(group: One[]): { leaves: One } | undefined {
  const leaves = group.find(({ isIdle }) => isIdle);
  return leaves && { leaves };
}
