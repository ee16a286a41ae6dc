import { wrap } from '@agent-relay/platform';
import { type AgentInfo, type PathInfo, safeLine } from '@agent-relay/protocol';
import { Command } from 'commander';
import { type JsonOption, type ProjectOption, withJson, withProject } from '../../options.ts';
import { runText } from '../../output/run-text.ts';
import { print, printJson, styled, table, tableWidth, when } from '../../output/terminal.ts';
import { asOwner } from '../../target/connect.ts';

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
    print(shown(agents));
  });

const TITLES = ['NAME', 'STATUS', 'UNREAD', 'CLI', 'PATH', 'SEEN', 'DOING'];
/** The last column may be cut to this. */
const LEAST_DOING = 40;
/** The columns of the table in a narrow terminal; the rest is in lines below it. */
const NARROW = 3;

/** A table. In a narrow terminal the last column is cut, or the last columns are lines below each agent. */
function shown(agents: AgentInfo[]): string {
  const rows = [TITLES.map((title) => styled('dim', title)), ...agents.map(row)];
  const { isTTY, columns } = process.stdout;
  if (!isTTY || tableWidth(rows) <= columns) return table(rows);
  // The least important column.
  const kept = rows.map((cells) => cells.filter((_, at) => TITLES[at] !== 'SEEN'));
  const room = columns - tableWidth(kept.map((cells) => cells.slice(0, -1))) - 2;
  if (tableWidth(kept) <= columns) return table(kept);
  if (room >= LEAST_DOING) return table(kept.map((cells) => withLastCut(cells, room)));
  const lines = table(rows.map((cells) => cells.slice(0, NARROW))).split('\n');
  const below = agents.map(detailsOf).map((text) => (text === '' ? [] : wrap(text, columns - 2).split('\n')));
  const entries = below.map((texts, at) => [lines[at + 1], ...texts.map((text) => `  ${text}`)]);
  return [lines[0], ...entries.flat()].join('\n');
}

/** What the other columns say, in words. */
function detailsOf(agent: AgentInfo): string {
  const [, , , cli = '-', path = '-', , doing = ''] = row(agent);
  // Agents without a name of their own are called after their CLI.
  return [cli === '-' || cli === agent.name ? '' : cli, path === '-' ? '' : `by ${path}`, doing]
    .filter((part) => part !== '')
    .join(', ');
}

const withLastCut = (cells: string[], room: number): string[] =>
  cells.map((cell, at) =>
    at === cells.length - 1 && cell.length > room && !cell.startsWith('\u001b')
      ? `${cell.slice(0, room - 1)}…`
      : cell,
  );

function row(agent: AgentInfo): string[] {
  const path = agent.paths.find(({ inUse }) => inUse) ?? agent.paths.find(({ state }) => state === 'away');
  const doing = [
    agent.lead ? 'lead' : undefined,
    runText(agent, path?.reason?.code),
    path?.reason && path.reason.code !== 'busy' ? reasonText(path) : undefined,
    agent.attention && `attention: ${agent.attention.replaceAll('-', ' ')}`,
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

/** A usable path may still be unproven. */
const reasonText = ({ state, reason }: PathInfo): string =>
  state === 'ready' ? (reason?.text ?? '') : `waits: ${reason?.text}`;

const cliText = ({ cli = '-', run }: AgentInfo): string =>
  run?.version === undefined ? cli : `${cli} ${run.version}`;
