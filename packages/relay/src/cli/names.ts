import { isReservedName, MAX_NAME_LENGTH } from '@agent-relay/protocol';

/** A user name of the system as the name of an agent: the letters the grammar knows, and never a reserved word. */
export function agentNameOf(userName: string): string {
  const name = userName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, MAX_NAME_LENGTH);
  if (name === '') return 'user';
  return isReservedName(name) ? `${name}-user` : name;
}
