import { join } from 'node:path';
import { ensurePrivateDirectory, writeAtomically } from '@agent-relay/platform';
import { shellWord } from '@agent-relay/protocol';
import { PROGRAM } from '../program-file.ts';
import { clientConfig } from './address.ts';
import { handedOn, type Layout } from './layout.ts';
import type { Prompts } from './prompts.ts';

/** The command of a role's session, with placeholders for the two files. */
export const DEFAULT_COMMAND = 'claude "$(cat {prompt})" --mcp-config {config}';

/** The relay and a session per role, each in a shell; writes the files of the sessions first. */
export async function sessionLayout(options: {
  port: number;
  key: string | undefined;
  prompts: Prompts;
  command: string;
  dataDirectory: string;
  project?: string;
}): Promise<Layout> {
  const { port, key, prompts, command, dataDirectory, project } = options;
  const directory = join(dataDirectory, 'launch', String(port));
  for (const path of [dataDirectory, join(dataDirectory, 'launch'), directory])
    await ensurePrivateDirectory(path);
  const config = join(directory, 'mcp.json');
  await writeAtomically(config, `${clientConfig(port, key)}\n`);
  const sessions = [...prompts].map(async ([role, prompt]) => {
    const file = join(directory, `${role}.md`);
    await writeAtomically(file, `${prompt}\n`);
    const filled = command.replaceAll('{prompt}', shellWord(file)).replaceAll('{config}', shellWord(config));
    // If the client also has an agent-relay entry, it is the same agent.
    return { title: role, command: filled, runs: false, env: { RELAY_AGENT_NAME: role } };
  });
  const roles = [...prompts.keys()].join(',');
  const named = project === undefined ? [] : ['--project', project];
  const relay = [
    process.execPath,
    PROGRAM,
    'launch',
    '--log-only',
    '--port',
    String(port),
    '--roles',
    roles,
    ...named,
  ];
  return {
    name: `relay-${port}`,
    panes: [
      { title: 'relay', command: relay.map(shellWord).join(' '), runs: true },
      ...(await Promise.all(sessions)),
    ],
    directory: process.cwd(),
    env: handedOn(process.env),
  };
}
