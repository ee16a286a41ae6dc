import type { Agents } from '../directory/agents.ts';
import type { Run } from '../ports/store/runs.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import { relayItself } from '../principal.ts';
import type { Hosts } from './hosts.ts';
import type { Starting } from './starting.ts';
import type { Workplaces } from './workplaces.ts';

interface RecoveryTools {
  hosts: Hosts;
  agents: Agents;
  starting: Starting;
  workplaces: Workplaces;
}

/**
 * What a daemon that was killed has left: every stored run that had not ended goes on, or ends with its reason. A host does
 * nothing before it is stored (see `Processes.start`), so a spawned run without one has never started.
 */
export class Recovery {
  readonly #tools: RecoveryTools;

  constructor(tools: RecoveryTools) {
    this.#tools = tools;
  }

  async recover(workspace: Workspace, run: Run): Promise<void> {
    const { agents, hosts } = this.#tools;
    const agent = agents.byId(run.agentId);
    // Its host is gone, or reconnects.
    if (!run.spawned || run.host || !agent) return hosts.lookFor(run);
    const relay = relayItself(workspace, await agents.system(workspace));
    const { starting, workplaces } = this.#tools;
    // Only one that is resumed has a conversation before it has started.
    if (run.session !== undefined)
      return await starting.failed(relay, 'agent.resume_failed', agent, run, { ended: NEVER_STARTED });
    const left = await workplaces.discard(run.worktree, { agent: agent.name, run: run.id });
    await starting.withdraw(relay, agent, run, { ended: NEVER_STARTED, kept: left?.kept });
  }
}

const NEVER_STARTED = 'the daemon stopped before it was started';
