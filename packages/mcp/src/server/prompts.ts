import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { Prompt } from '../framework/prompt.ts';
import { mainToolset } from '../framework/toolset.ts';
import type { ClientContext } from './client-context.ts';

/** Answers `prompts/list` and `prompts/get`. */
export function servePrompts(server: Server, { offering }: ClientContext): void {
  const { prompts } = offering;
  server.setRequestHandler('prompts/list', () => ({ prompts: prompts.map(listedPrompt) }));
  server.setRequestHandler('prompts/get', ({ params }, mcp) => {
    const prompt = prompts.find(({ name }) => name === params.name);
    if (!prompt) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${params.name}" here.`);
    }
    const args = params.arguments ?? {};
    const missing = prompt.arguments.find(({ name, required }) => required && args[name] === undefined);
    if (missing) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `The prompt "${prompt.name}" needs the argument "${missing.name}": ${missing.description}.`,
      );
    }
    const { toolsets } = offering.tools;
    return prompt.get(args, { wording: mainToolset(toolsets).wording, toolsets, mcp });
  });
}

const listedPrompt = ({ name, description, arguments: args }: Prompt) => ({
  name,
  description,
  arguments: args.map((argument) => ({
    name: argument.name,
    description: argument.description,
    required: argument.required,
  })),
});
