import type { Discovery, DiscoverySource } from './discover.ts';

/** How a client came to its project. `default` is the project for directories outside the others. */
export type ProjectFrom = 'flag' | 'env' | 'config' | 'default' | 'only-one';

/** The project that a client has joined, and why that one. */
export interface JoinedProject {
  from: ProjectFrom;
  /** What names it: an option, a variable or a file; else the directory, which is in no project. */
  by: string;
}

const FROM: Record<DiscoverySource, ProjectFrom> = {
  option: 'flag',
  RELAY_SOCKET: 'env',
  RELAY_PROJECT: 'env',
  '.relay/config.json': 'config',
  default: 'default',
  'only-one': 'only-one',
};

export const joinedBy = (found: Discovery): JoinedProject => ({
  from: FROM[found.source],
  by: placeOf(found),
});

const placeOf = ({ source, directory = '' }: Discovery): string => {
  if (source === 'option') return '--project';
  if (source === '.relay/config.json') return `${directory}/${source}`;
  return source === 'default' || source === 'only-one' ? directory : source;
};

/** For people and models: what nobody chose. Undefined if somebody did. */
export function strayNotice(
  { from, by }: JoinedProject,
  { project, root }: { project: string; root?: string | undefined },
): string | undefined {
  if (from !== 'only-one') return undefined;
  const where = root === undefined ? '' : ` (${root})`;
  return (
    `Using project ${project}${where}, the only one running: ${by} is no project. ` +
    `Open it as one with: agent-relay start; or name the other: --project ${project}`
  );
}
