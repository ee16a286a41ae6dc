/**
 * What a hook does with messages. `wait`: stays in the background until there is one, which wakes the agent. `all`: hands
 * over what is there. `urgent`: the same, if one of them is urgent. `at end`: the same, and the turn goes on with it.
 */
export type HookTask = 'wait' | 'all' | 'urgent' | 'at end';

/** The CLIs whose own hooks can be used without `agent-relay run`, and what happens at each event. */
const TASKS: Record<string, Record<string, HookTask>> = {
  claude: { SessionStart: 'wait', UserPromptSubmit: 'wait', Stop: 'wait' },
  codex: { UserPromptSubmit: 'all', PostToolUse: 'urgent', Stop: 'at end' },
  gemini: { BeforeAgent: 'all', AfterTool: 'urgent', AfterAgent: 'at end' },
};

export const taskAt = (cli: string, event: string): HookTask | undefined => TASKS[cli]?.[event];

/** What the process of a hook says to its CLI. */
export interface HookAnswer {
  output?: string;
  /** Wakes the agent with what is in `error`. */
  error?: string;
  code: number;
}

export const SILENT: HookAnswer = { code: 0 };

/** How the CLI is given a text for its model. */
export function answerWith(text: string, cli: string, event: string, task: HookTask): HookAnswer {
  if (task === 'wait') return { error: text, code: 2 };
  const answer =
    task === 'at end'
      ? { decision: cli === 'gemini' ? 'deny' : 'block', reason: text }
      : { hookSpecificOutput: { hookEventName: event, additionalContext: text } };
  return { output: JSON.stringify(answer), code: 0 };
}
