import { type AgentInfo, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../options.ts';
import { print, printJson, styled, table, tableWidth, when } from '../output/terminal.ts';
import { asOwner } from '../target/connect.ts';

const STATUS_STYLE = { active: 'green', idle: 'yellow', offline: 'dim' } as const;

export const command = withJson(withProject(new Command('who')))
  .description('List the agents of a project')
  .option('--all', 'include offline agents')
  .action(async (options: ProjectOption & JsonOption & { all?: boolean }) => {
    const agents = await asOwner(options, (relay) => relay.who({ includeOffline: options.all ?? false }));
    if (options.json) return printJson(agents);
    if (agents.length === 0) return print(options.all ? 'No agents are known yet.' : 'No agents are online.');
    print(table(fitting([TITLES.map((title) => styled('dim', title)), ...agents.map(row)])));
  });

const TITLES = ['NAME', 'STATUS', 'UNREAD', 'CLI', 'PATH', 'SEEN', 'DOING'];
/** What a narrow terminal does without, first to last. */
const DISPENSABLE = ['SEEN', 'CLI', 'PATH', 'DOING', 'UNREAD'];

/** The columns that fit into the terminal. */
function fitting(rows: string[][]): string[][] {
  const { isTTY, columns } = process.stdout;
  let left = TITLES;
  const shown = () => rows.map((cells) => cells.filter((_, at) => left.includes(TITLES[at] ?? '')));
  for (const title of DISPENSABLE) {
    if (!isTTY || tableWidth(shown()) <= columns) break;
    left = left.filter((other) => other !== title);
  }
  return shown();
}

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
