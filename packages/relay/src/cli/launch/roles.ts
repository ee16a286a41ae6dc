import { checkAgentName, nameKey, plainAgentName, RelayError } from '@agent-relay/protocol';

export const DEFAULT_ROLES = 'pm,dev-a,dev-b';

/** The roles in a list such as `pm,dev-a`: agent names without duplicates. */
export function parseRoles(list: string): string[] {
  const roles = list
    .split(',')
    .map((role) => plainAgentName(role.trim()))
    .filter((role) => role !== '');
  if (roles.length === 0) {
    throw new RelayError('InvalidRequest', '--roles is empty.', {
      next: `Use a list such as ${DEFAULT_ROLES}`,
    });
  }
  const twice = roles.find(
    (role, index) => roles.findIndex((other) => nameKey(other) === nameKey(role)) < index,
  );
  if (twice !== undefined) throw new RelayError('InvalidRequest', `--roles names "${twice}" twice.`);
  return roles.map((role) => checkAgentName(role));
}
