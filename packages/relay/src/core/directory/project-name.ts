import { MAX_NAME_LENGTH } from '@agent-relay/protocol';

/** The name a project gets from its directory: the base name, with what the grammar of names refuses made `-`. */
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
