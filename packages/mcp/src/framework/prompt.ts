import type { GetPromptResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Participant } from '../participant/participant.ts';
import type { Toolset, Wording } from './toolset.ts';

interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
  /** The possible values, for completion. */
  values?(participant: Participant): Promise<string[]>;
}

/** What a prompt can use in addition to its arguments. */
interface PromptRequest {
  /** The tool names of the session. */
  wording: Wording;
  toolsets: readonly Toolset[];
  mcp: ServerContext;
}

/** A text that a person can insert into their agent's conversation. */
export interface Prompt {
  name: string;
  description: string;
  arguments: readonly PromptArgument[];
  get(args: Readonly<Record<string, string>>, request: PromptRequest): GetPromptResult | InputRequiredResult;
}

export const userText = (text: string): GetPromptResult => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
});
