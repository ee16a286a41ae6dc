import { relative } from 'node:path';
import type { Client } from './clients.ts';

/** What to do after the install. `project` is undefined for user files. */
export function nextSteps(
  changes: ReadonlyArray<{ client: Client; file: string }>,
  project: string | undefined,
  hasHooks = false,
): string[] {
  const files = changes.flatMap(({ client, file }) =>
    project !== undefined && client.projectFile ? [relative(project, file)] : [],
  );
  return [
    'Next:',
    '  Start the daemon, if it is not running: agent-relay daemon start',
    ...changes.flatMap(({ client }) => stepsOf(client, project !== undefined, hasHooks)),
    ...(files.length > 0
      ? [`Do not commit ${files.join(', ')}: the relay's entry contains paths of this machine.`]
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
