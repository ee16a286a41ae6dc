import type { Agent } from '../ports/store/agents.ts';
import type { Workspace } from '../ports/store/workspaces.ts';
import type { Messages } from '../sending/messages.ts';

/** Notifies agents that the loop governor paused their exchange. */
export async function sendPauseNotices(
  messages: Messages,
  workspace: Workspace,
  agents: Agent[],
  reason: string,
): Promise<void> {
  const text = `This conversation is paused: ${reason}. Messages in it are held until a person releases them with: agent-relay held release. In other conversations, messages with new content are delivered.`;
  for (const agent of agents) await messages.sendNotice(workspace, agent, text);
}
