import type { Agent } from '../ports/store/agents.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Messages } from '../sending/messages.ts';

/** Tells agents that the loop governor paused their exchange. */
export async function sendPauseNotices(
  messages: Messages,
  workspace: Workspace,
  agents: Agent[],
  reason: string,
): Promise<void> {
  const text = `Your exchange is paused: ${reason}. What you say in it waits until a person releases it with: agent-relay held release. Elsewhere you are heard when you say something new.`;
  for (const agent of agents) await messages.sendNotice(workspace, agent, text);
}
