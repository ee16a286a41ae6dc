import type { AgentInfo } from '@agent-relay/sdk';
import { pathInUse } from '../model/agents.ts';

const PATHS: Record<string, string> = {
  native: 'Native',
  hook: 'Hook',
  pty: 'Terminal',
  push: 'Push',
  pull: 'Waiting for messages',
};

/** Harmless reasons: the message will be delivered in a moment. */
const SOON: Record<string, string> = {
  busy: 'after this turn',
  attention: 'after this turn',
  starting: 'once it started',
};

/** How messages currently reach an agent, or why they do not. */
export function PathState({ agent }: { agent: AgentInfo }) {
  if (agent.status === 'offline') return <span class="muted">When it is back online</span>;
  if (agent.type === 'human') return <span class="muted">Reads the inbox</span>;
  const path = pathInUse(agent);
  if (!path)
    return (
      <span class="muted" title="Nothing wakes it: it sees messages when it checks its inbox.">
        Checks its inbox
      </span>
    );
  const { state, reason } = path;
  const soon = reason && SOON[reason.code];
  return (
    <span class="path" title={reason?.text}>
      <span class={`dot is-${soon ? 'soon' : state}`} />
      <span>{PATHS[path.path]}</span>
      {reason && <span class="muted path-reason">{soon ?? reason.text}</span>}
    </span>
  );
}
