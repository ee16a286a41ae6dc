import type { AgentInfo, Message, RelayEvent } from '@agent-relay/sdk';
import { once } from '../parts/once.ts';

/** Applies an event to the list of agents; everything else is refreshed a little later. */
export function applyAgentEvent(agents: Map<string, AgentInfo>, event: RelayEvent, now: number): void {
  if (!('agent' in event)) return;
  const agent = agents.get(event.agent);
  switch (event.type) {
    case 'agent.online':
      if (agent)
        agents.set(agent.name, { ...agent, status: 'active', connectedAt: now, lastActivityAt: now });
      break;
    case 'agent.offline':
      if (agent) agents.set(agent.name, { ...agent, status: 'offline', lastActivityAt: now, paths: [] });
      break;
    case 'agent.removed':
      agents.delete(event.agent);
      break;
    case 'agent.renamed': {
      const before = agents.get(event.before);
      agents.delete(event.before);
      if (before) agents.set(event.agent, { ...before, name: event.agent });
      break;
    }
    case 'path.changed':
      if (agent) agents.set(agent.name, withPath(agent, event, now));
      break;
  }
}

type PathChange = Extract<RelayEvent, { type: 'path.changed' }>;

function withPath(agent: AgentInfo, { path, state, reason }: PathChange, now: number): AgentInfo {
  const { paths } = agent;
  if (state === 'away') return { ...agent, paths: paths.filter((known) => known.path !== path) };
  const inUse = paths.find((known) => known.path === path)?.inUse ?? paths.length === 0;
  const changed = { path, state, since: now, inUse, ...(reason ? { reason } : {}) };
  const isKnown = paths.some((known) => known.path === path);
  return {
    ...agent,
    // A path that watches the terminal knows whether the agent is working.
    ...(path === 'push' ? {} : { status: reason?.code === 'busy' ? 'active' : 'idle' }),
    paths: isKnown ? paths.map((known) => (known.path === path ? changed : known)) : [...paths, changed],
  };
}

/** The sender of a new message is online and active. */
export function noteSent(agents: Map<string, AgentInfo>, messages: readonly Message[]): void {
  for (const { from, ts } of messages) {
    const agent = agents.get(from);
    if (agent && agent.status !== 'offline')
      agents.set(from, {
        ...agent,
        status: agent.status === 'idle' ? 'active' : agent.status,
        lastActivityAt: ts,
      });
  }
}

export type Kind = 'Terminal' | 'Program' | 'MCP' | 'Remote' | 'Person';
/** How an agent takes part. */
export function kindOf({ type, paths, mcpEnabled, cli, remote }: AgentInfo): Kind {
  if (type === 'human') return 'Person';
  if (remote) return 'Remote';
  if (paths.some(({ path }) => path === 'pty' || path === 'hook' || path === 'native')) return 'Terminal';
  if (mcpEnabled) return 'MCP';
  return cli === undefined ? 'Program' : 'Terminal';
}

/** Its program, and how it takes part if that is not obvious. */
export function runsAs(agent: AgentInfo): string[] {
  const kind = kindOf(agent);
  if (agent.cli === undefined) return [kind];
  const program = agent.run?.version === undefined ? agent.cli : `${agent.cli} ${agent.run.version}`;
  return kind === 'Terminal' ? [program] : [program, kind];
}

/** The path that new messages take; undefined: the agent has to check its inbox. */
export const pathInUse = ({ paths }: AgentInfo): AgentInfo['paths'][number] | undefined =>
  paths.find(({ inUse }) => inUse) ?? paths[0];

/** Much faster than `localeCompare`: hundreds of names are sorted several times a second. */
const names = once(() => new Intl.Collator(undefined, { numeric: true }));
export const byName = (one: AgentInfo, other: AgentInfo): number => names().compare(one.name, other.name);

/**
 * Online agents first, then offline ones, people last. Active and idle are not sorted apart: rows that jump with
 * every turn cannot be read.
 */
export const inOrder = (one: AgentInfo, other: AgentInfo): number =>
  Number(one.type === 'human') - Number(other.type === 'human') ||
  Number(one.status === 'offline') - Number(other.status === 'offline') ||
  Number(other.lead) - Number(one.lead) ||
  byName(one, other);
