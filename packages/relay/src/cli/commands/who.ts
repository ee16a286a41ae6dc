import { type AgentInfo, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../options.ts';
import { print, printJson, styled, table, when } from '../output/terminal.ts';
import { asOwner } from '../target/connect.ts';

const STATUS_STYLE = { active: 'green', idle: 'yellow', offline: 'dim' } as const;

export const command = withJson(withProject(new Command('who')))
  .description('List the agents of a project')
  .option('--all', 'include offline agents')
  .action(async (options: ProjectOption & JsonOption & { all?: boolean }) => {
    const agents = await asOwner(options, (relay) => relay.who({ includeOffline: options.all ?? false }));
    if (options.json) return printJson(agents);
    if (agents.length === 0) return print(options.all ? 'No agents are known yet.' : 'No agents are online.');
    const titles = ['NAME', 'STATUS', 'UNREAD', 'CLI', 'PATH', 'SEEN', 'DOING'];
    const header = titles.map((title) => styled('dim', title));
    print(table([header, ...agents.map(row)]));
  });

function row(agent: AgentInfo): string[] {
  const path = agent.paths.find(({ inUse }) => inUse);
  const doing = [
    agent.lead ? 'lead' : undefined,
    agent.parent && `worker of ${agent.parent}`,
    agent.task,
    path?.reason && `waits: ${path.reason.text}`,
  ].filter((part) => part !== undefined);
  return [
    safeLine(agent.handle === undefined ? agent.name : `${agent.name} @${agent.handle}`),
    styled(STATUS_STYLE[agent.status], agent.status),
    String(agent.unread ?? '-'),
    safeLine(agent.type === 'human' ? 'human' : (agent.cli ?? '-')),
    path?.path ?? '-',
    agent.lastActivityAt === undefined ? '-' : when(agent.lastActivityAt),
    safeLine(doing.join(', ')),
  ];
}
