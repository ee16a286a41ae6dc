import { createHash } from 'node:crypto';
import { PROMPT_TEXT_LIMIT, type PromptAsk } from '@agent-relay/protocol';
import type { OpenPrompt } from './adapter.ts';

/** A prompt that is told apart from all others by what it asks for and by `facts`: everything else that the CLI said about it. */
export function openPrompt(facts: unknown, ask: PromptAsk | undefined): OpenPrompt {
  const key = createHash('sha256')
    .update(JSON.stringify([facts, ask]))
    .digest('hex');
  return { key, ask: ask && JSON.stringify(ask).length <= PROMPT_TEXT_LIMIT ? ask : undefined };
}

/**
 * A command with the agent's own words about it. If there are other arguments, which may change what it does, all of them are
 * shown: only how long it may take, and that nobody waits for it, are left out.
 */
export function commandAsk(
  tool: string,
  args: Readonly<Record<string, unknown>> & { command: string },
): PromptAsk {
  const { command, description, timeout, run_in_background: background, ...others } = args;
  const said = typeof description === 'string' ? { description: description.slice(0, MOST_DESCRIBED) } : {};
  return Object.keys(others).length === 0
    ? { kind: 'command', command, ...said }
    : { ...toolAsk(tool, { command, ...others, timeout, run_in_background: background }), ...said };
}

export const toolAsk = (tool: string, input: unknown): PromptAsk => ({
  kind: 'tool',
  tool,
  input: JSON.stringify(input, null, 2),
});

/** More than is ever shown of it. */
const MOST_DESCRIBED = 1000;
