import { relative } from 'node:path';
import { wrap } from '@agent-relay/platform';
import type { Client } from './clients.ts';

/** The files that were written for a client. */
export interface Installed {
  client: Client;
  files: readonly string[];
}

/** What to do after the install. `project` is undefined for user files. */
export function nextSteps(
  installed: readonly Installed[],
  project: string | undefined,
  hasHooks = false,
): string[] {
  const written = installed.flatMap(({ client, files }) =>
    project !== undefined && client.projectFile ? files.map((file) => relative(project, file)) : [],
  );
  const files = [...new Set(written)];
  return [
    'Next:',
    '  Start the daemon, if it is not running: agent-relay daemon start',
    ...installed.flatMap(({ client }) => stepsOf(client, project !== undefined, hasHooks)),
    ...(files.length > 0
      ? [`Do not commit ${files.join(', ')}: the relay's entries contain paths of this machine.`]
      : []),
  ];
}

const stepsOf = (
  { title, trust, allow, check, hooks }: Client,
  isProject: boolean,
  hasHooks: boolean,
): string[] => [
  `  Restart ${title}.`,
  ...(isProject && trust !== undefined ? [`    trust: ${trust}`] : []),
  `    tools: ${allow}`,
  ...(hasHooks && hooks ? [`    hooks: ${hooks.note}`] : []),
  `    check: ${check}`,
];

/** A step in lines of at most `columns`, each below the start of its text: `    tools: Asks before each call; …`. */
export function fittedStep(step: string, columns: number): string[] {
  const [margin = ''] = /^ *(?:[a-z]+: )?/.exec(step) ?? [];
  const [first = '', ...others] = wrap(step.slice(margin.length), columns - margin.length).split('\n');
  return [`${margin}${first}`, ...others.map((line) => ' '.repeat(margin.length) + line)];
}
