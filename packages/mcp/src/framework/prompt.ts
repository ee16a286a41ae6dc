import type { GetPromptResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Participant } from '../participant/participant.ts';
import type { Toolset, Wording } from './toolset.ts';

interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
  /** The values there are, for a client that completes what a person types. */
  values?(participant: Participant): Promise<string[]>;
}

/** What a prompt may use beside its arguments. */
interface PromptRequest {
  /** How the tools of the session are called. */
  wording: Wording;
  toolsets: readonly Toolset[];
  mcp: ServerContext;
}

/** A text a person can have put into their agent's conversation. */
export interface Prompt {
  name: string;
  description: string;
  arguments: readonly PromptArgument[];
  get(args: Readonly<Record<string, string>>, request: PromptRequest): GetPromptResult | InputRequiredResult;
}

export const userText = (text: string): GetPromptResult => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
});
