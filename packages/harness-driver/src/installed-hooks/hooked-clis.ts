/**
 * Stays in the background until there is a message, which wakes the agent or comes with its next tool call. `wait for tools`: the
 * first one also waits until the CLI has the relay's tools, because a model that begins without them cannot answer.
 */
export type WaitingTask = 'wait' | 'wait in turn' | 'wait for tools';

/**
 * What a hook does with messages. `all`: hands over what is there. `in turn`: the same, if one of them is urgent or the agent
 * wants it so. `at end`: the same, and the turn goes on with it.
 */
export type HookTask = WaitingTask | 'all' | 'in turn' | 'at end';

/** The CLIs with hooks that work without `agent-relay run`, and what each event does. */
const TASKS = new Map<string, HookTask>([
  ['claude SessionStart', 'wait for tools'],
  ['claude UserPromptSubmit', 'wait in turn'],
  ['claude Stop', 'wait'],
  ['codex UserPromptSubmit', 'all'],
  ['codex PostToolUse', 'in turn'],
  ['codex Stop', 'at end'],
  ['gemini BeforeAgent', 'all'],
  ['gemini AfterTool', 'in turn'],
  ['gemini AfterAgent', 'at end'],
]);

export const isWaiting = (task: HookTask): task is WaitingTask => task.startsWith('wait');

export const taskAt = (cli: string, event: string): HookTask | undefined => TASKS.get(`${cli} ${event}`);

/** What a hook process outputs to its CLI. */
export interface HookAnswer {
  output?: string;
  /** With the code 2 it wakes the agent; the CLI's log may have it otherwise. */
  error?: string;
  code: number;
}

export const SILENT: HookAnswer = { code: 0 };

/** How the CLI passes a text to its model. */
export function answerWith(text: string, cli: string, event: string, task: HookTask): HookAnswer {
  if (isWaiting(task)) return { error: text, code: 2 };
  const answer =
    task === 'at end'
      ? { decision: cli === 'gemini' ? 'deny' : 'block', reason: text }
      : { hookSpecificOutput: { hookEventName: event, additionalContext: text } };
  return { output: JSON.stringify(answer), code: 0 };
}
