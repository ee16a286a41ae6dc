import { type AgentInfo, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../options.ts';
import { duration, print, printJson, styled, table, tableWidth, when } from '../output/terminal.ts';
import { asOwner } from '../target/connect.ts';

const STATUS_STYLE = { active: 'green', idle: 'yellow', offline: 'dim' } as const;

export const command = withJson(withProject(new Command('who')))
  .description('List the agents of a project')
  .option('--all', 'include offline agents')
  .action(async (options: ProjectOption & JsonOption & { all?: boolean }) => {
    const known = await asOwner(options, (relay) => relay.who({ includeOffline: true }));
    // A worker that ended is shown until somebody releases it.
    const agents = known.filter(({ status, run }) => options.all || status !== 'offline' || run?.spawned);
    if (options.json) return printJson(agents);
    if (agents.length === 0) return print(options.all ? 'No agents are known yet.' : 'No agents are online.');
    print(table(fitting([TITLES.map((title) => styled('dim', title)), ...agents.map(row)])));
  });

const TITLES = ['NAME', 'STATUS', 'UNREAD', 'CLI', 'PATH', 'SEEN', 'DOING'];
/** Columns to drop in a narrow terminal, in order. */
const DISPENSABLE = ['SEEN', 'CLI', 'PATH', 'DOING', 'UNREAD'];
/** The last column may be cut to this. */
const LEAST_DOING = 24;

/** The columns that fit into the terminal, the last one cut where that helps. */
function fitting(rows: string[][]): string[][] {
  const { isTTY, columns } = process.stdout;
  if (!isTTY) return rows;
  const shown = (left: string[]) =>
    rows.map((cells) => cells.filter((_, at) => left.includes(TITLES[at] ?? '')));
  let left = TITLES;
  for (const title of [...DISPENSABLE, undefined]) {
    const hasDoing = left.includes('DOING');
    const room = columns - tableWidth(shown(left.filter((other) => other !== 'DOING'))) - 2;
    if (hasDoing && room >= LEAST_DOING) return shown(left).map((cells) => withLastCut(cells, room));
    if (tableWidth(shown(left)) <= columns) break;
    left = left.filter((other) => other !== title);
  }
  return shown(left);
}

const withLastCut = (cells: string[], room: number): string[] =>
  cells.map((cell, at) =>
    at === cells.length - 1 && cell.length > room && !cell.startsWith('\u001b')
      ? `${cell.slice(0, room - 1)}…`
      : cell,
  );

function row(agent: AgentInfo): string[] {
  const path = agent.paths.find(({ inUse }) => inUse);
  const doing = [
    agent.lead ? 'lead' : undefined,
    runText(agent.run, path?.reason?.code),
    path?.reason && path.reason.code !== 'busy' ? `waits: ${path.reason.text}` : undefined,
    agent.parent && `worker of ${agent.parent}`,
    agent.run?.worktree && `on branch ${agent.run.worktree.branch}`,
    agent.task,
  ].filter((part) => part !== undefined);
  return [
    safeLine(agent.handle === undefined ? agent.name : `${agent.name} @${agent.handle}`),
    styled(STATUS_STYLE[agent.status], agent.status),
    String(agent.unread ?? '-'),
    safeLine(agent.type === 'human' ? 'human' : cliText(agent)),
    path?.path ?? '-',
    agent.lastActivityAt === undefined ? '-' : when(agent.lastActivityAt),
    safeLine(doing.join(', ')),
  ];
}

const cliText = ({ cli = '-', run }: AgentInfo): string =>
  run?.version === undefined ? cli : `${cli} ${run.version}`;

/** How its program is doing, where that is not plain from the rest. */
function runText(run: AgentInfo['run'], reason: string | undefined): string | undefined {
  if (!run) return reason === 'busy' ? 'working' : undefined;
  const { state, startedAt, endedAt, exit, ended } = run;
  if (state === 'starting') return 'starting';
  const since = duration(Date.now() - startedAt);
  if (endedAt === undefined) return reason === 'busy' ? `working, up ${since}` : `up ${since}`;
  const how = exit?.signal ?? (exit ? `code ${exit.code}` : ended);
  return `ended (${how}) after ${duration(endedAt - startedAt)}`;
}
