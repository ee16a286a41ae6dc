/** Something of which there is room for so many, such as a session. */
export interface Occupant {
  /** Whose it is. */
  readonly account: string;
  /** It can be ended without anybody noticing at once. */
  readonly isIdle: boolean;
}

export interface Room {
  most: number;
  /** Of those, one account may have so many. */
  mostOfAccount: number;
}

/**
 * Who has to go so that an account can have one more: nobody, one that is idle, or `full`, because the account or all
 * together have as many as they may and none is idle. An account that has as many as it may ends one of its own.
 * Where all together are too many, one goes of those who have most. `present` are in the order of their last use.
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
