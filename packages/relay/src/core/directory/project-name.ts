import { MAX_NAME_LENGTH } from '@agent-relay/protocol';

/** The default name of a project: the base name of its directory, with invalid characters replaced by `-`. */
export function projectName(root: string): string {
  const base = root.split(/[\\/]/).findLast((part) => part !== '') ?? '';
  const name = base
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[_-]+|-+$/g, '')
    .slice(0, MAX_NAME_LENGTH);
  return name === '' ? 'project' : name;
}
