import { type DaemonStatus, type McpServerStatus, safeLine } from '@agent-relay/protocol';
import { type JoinedProject, joinedProject } from '@agent-relay/sdk/node';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { facts, plural, print, printJson, when } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

export const command = withJson(withProject(new Command('status')))
  .description('Show the project, its daemon and its addresses')
  .action(async (options: ProjectOption & JsonOption) => {
    const { joined, ...status } = await asOwner(options, async (relay) => ({
      ...(await relay.status()),
      joined: joinedProject(relay),
    }));
    if (options.json) return printJson({ ...status, ...(joined && { projectFrom: joined.from }) });
    print(
      facts([
        ['project', `${status.project}${joined ? ` (${reasonOf(joined)})` : ''}`],
        ['directory', status.root],
        ['agents', `${status.agentsOnline} online`],
        ['daemon', `${status.version}, pid ${status.pid}, started ${when(status.startedAt)}`],
        ['clients', status.connections === undefined ? undefined : plural(status.connections, 'connection')],
        ['database', status.database],
        ['socket', status.socketPath],
        ['http', status.http],
        ['mcp', status.mcp],
        ...(status.servers ?? []).map(serverFact),
        ['servers', status.serversError && safeLine(status.serversError)],
        ...(status.unserved ?? []).map(unservedFact),
      ]),
    );
  });

function reasonOf({ from, by }: JoinedProject): string {
  if (from === 'default') return 'for everything outside other projects';
  return from === 'only-one' ? 'the only one running' : `from ${by}`;
}

const serverFact = ({ name, health, tools, error }: McpServerStatus): [string, string] => [
  'server',
  `${name}: ${health}, ${plural(tools, 'tool')}${error === undefined ? '' : ` (${error})`}`,
];

const unservedFact = ({
  project,
  error,
}: NonNullable<DaemonStatus['unserved']>[number]): [string, string] => [
  'not served',
  safeLine(`${project}: ${error.message} ${error.next}`),
];
