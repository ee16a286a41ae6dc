import type { Toolset } from '../../framework/toolset.ts';
import { createWorkspace } from './create-workspace.ts';
import { checkInbox, markMessageRead } from './inbox.ts';
import { listAgents } from './list-agents.ts';
import { registerAgent } from './register-agent.ts';
import { sendDm } from './send-dm.ts';
import { setWorkspaceKey } from './set-workspace-key.ts';

export const workspaceToolset: Toolset = {
  name: 'workspace',
  tools: [registerAgent, listAgents, createWorkspace, setWorkspaceKey, sendDm, checkInbox, markMessageRead],
  wording: {
    send: (to, message) => `send_dm(to="${to}", text="${message}")`,
    agents: 'list_agents',
    inbox: 'check_inbox',
  },
};
