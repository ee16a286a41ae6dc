import { AGENT_GRANTS, type AgentInfo, nameKey, plainAgentName, RelayError } from '@agent-relay/protocol';
import type { Agent } from '../ports/store/agents.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { isUsersOwn, requireAgent, requireOwner, seesWholeWorkspace } from '../principal.ts';
import { listPage } from '../reading/page.ts';
import type { Relay } from '../relay.ts';
import { requireMayDirect } from '../terminals/permissions.ts';
import type { Handlers } from './caller.ts';

type Names =
  | 'WHO'
  | 'WATCH'
  | 'ANNOUNCE'
  | 'TOKEN_ROTATE'
  | 'AGENT_RENAME'
  | 'AGENT_SET'
  | 'AGENT_ATTENTION'
  | 'AGENT_REMOVE'
  | 'GRANT';

export function agentHandlers(relay: Relay): Handlers<Names> {
  const { agents, deliveries, presence, served, store, terminals, workspaces } = relay;
  const runOf = ({ id }: Agent) => {
    const run = terminals.describe(id);
    return run ? { run } : {};
  };
  /** The agent's own claim; for a spawned agent the relay knows its parent, also after a rename. */
  const parentOf = ({ id, parent }: Agent) => {
    const run = terminals.runs.of(id);
    const name =
      run?.parentId === undefined ? (run?.spawned ? undefined : parent) : agents.byId(run.parentId)?.name;
    return name === undefined ? {} : { parent: name };
  };
  return {
    WHO: async ({ principal }, params) => {
      const { workspace: own } = principal;
      const { project = own.name } = params;
      // Before the lookup: remote users must not learn whether the project exists.
      if (!isUsersOwn(principal) && nameKey(project) !== nameKey(own.name)) {
        throw new RelayError('Forbidden', 'Other projects are only shown to local users.');
      }
      const workspace = workspaces.get(project);
      const shown = { active: true, idle: params.include_idle, offline: params.includeOffline };
      const one = params.agent === undefined ? undefined : agents.find(workspace, params.agent);
      const candidates = params.agent === undefined ? agents.list(workspace) : one ? [one] : [];
      const wanted = candidates.filter(
        (agent) => agent.type !== 'system' && shown[presence.describe(agent).status],
      );
      const { items, ...next } = listPage(wanted, params.cursor, (agent) => ({
        ...agents.describe(workspace, agent),
        ...parentOf(agent),
        paths: deliveries.pathsOf(agent.id),
        ...runOf(agent),
      }));
      return {
        agents: seesWholeWorkspace(principal) ? await withUnread(relay, workspace, items) : items,
        ...next,
      };
    },
    WATCH: (caller) => {
      caller.watch();
      return {};
    },
    ANNOUNCE: async (caller, { capabilities, tools }) => {
      const agent = requireAgent(caller.principal);
      await agents.announce(agent, { capabilities, tools });
      served.changed(agent);
      return {};
    },
    TOKEN_ROTATE: async ({ principal }, params) => {
      requireOwner(principal, 'replace the token of an agent');
      const agent = agents.get(principal.workspace, params.agent);
      const token = await agents.rotateToken(agent, params.token);
      await workspaces.audit(principal, principal.workspace, 'agent.token_rotated', agent.name);
      presence.end({ kind: 'agent', agentId: agent.id });
      return { token };
    },
    AGENT_RENAME: async ({ principal }, params) => {
      requireOwner(principal, 'rename agents');
      const agent = agents.get(principal.workspace, params.agent);
      const name = plainAgentName(params.name);
      const old = agent.name;
      const detail = { before: old };
      await agents.rename(
        agent,
        name,
        workspaces.record(principal, principal.workspace, 'agent.renamed', name, detail),
      );
      presence.tell(principal.workspace.id, { type: 'agent.renamed', agent: name, before: old });
      return { name };
    },
    AGENT_SET: async ({ principal }, { agent: name, ...changes }) => {
      requireOwner(principal, 'change the type, lead or grants of an agent');
      const agent = agents.get(principal.workspace, name);
      const { type = agent.type, lead = agent.lead, grant = [], revoke = [] } = changes;
      const grants = AGENT_GRANTS.filter(
        (one) => (agent.grants.includes(one) || grant.includes(one)) && !revoke.includes(one),
      );
      await agents.setStanding(agent, { type, lead, grants });
      terminals.viewing.endForbidden();
      await workspaces.audit(principal, principal.workspace, 'agent.changed', agent.name, changes);
      presence.tell(principal.workspace.id, { type: 'agent.changed', agent: agent.name });
      return { type: agent.type, lead: agent.lead, grants };
    },
    AGENT_ATTENTION: async ({ principal }, { agent: name, attention }) => {
      const agent = name === undefined ? requireAgent(principal) : agents.get(principal.workspace, name);
      requireMayDirect(principal, agent);
      await agents.setAttention(agent, attention);
      const wish = attention === undefined ? {} : { attention };
      const run = terminals.runs.live(agent.id);
      if (run) terminals.hosts.tell(run, { type: 'run.attention', run: run.id, ...wish });
      await workspaces.audit(principal, principal.workspace, 'agent.changed', agent.name, {
        attention: attention ?? 'default',
      });
      presence.tell(principal.workspace.id, { type: 'agent.changed', agent: agent.name });
      return { agent: agent.name, ...wish };
    },
    AGENT_REMOVE: async ({ principal }, { agent: name }) => {
      requireOwner(principal, 'remove agents');
      const agent = agents.get(principal.workspace, name);
      // First and synchronously: an agent that is being removed must not send anything more.
      presence.end({ kind: 'agent', agentId: agent.id });
      await agents.remove(agent);
      await workspaces.audit(principal, principal.workspace, 'agent.removed', agent.name);
      presence.tell(principal.workspace.id, { type: 'agent.removed', agent: agent.name });
      return {};
    },
    GRANT: async ({ principal }, { agent: name, project, allowed }) => {
      requireOwner(principal, 'let agents write to other projects');
      const agent = agents.get(principal.workspace, name);
      const target = workspaces.get(project);
      await store.setGrant(agent.id, target.id, allowed);
      const action = allowed ? 'grant.given' : 'grant.taken';
      await workspaces.audit(principal, principal.workspace, action, agent.name, { project: target.name });
      return {};
    },
  };
}

async function withUnread(
  { agents, clock, store }: Relay,
  workspace: Workspace,
  shown: AgentInfo[],
): Promise<AgentInfo[]> {
  const ids = shown.map(({ name }) => agents.get(workspace, name).id);
  const counts = await store.countUnreadOf(ids, clock.now());
  const unread = new Map(counts.map((count) => [count.recipientId, count.unread]));
  return shown.map((agent, at) => ({ ...agent, unread: unread.get(ids[at] ?? 0) ?? 0 }));
}
