import { parsePayload } from '@agent-relay/protocol';
import { isRelayError, RelayError } from '@agent-relay/sdk';
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { defined } from '../framework/defined.ts';
import { failureResult } from '../framework/result.ts';
import type { Call, Tool } from '../framework/tool.ts';
import type { ClientContext } from './client-context.ts';

/** Answers `tools/list` and `tools/call`. */
export function serveTools(server: Server, context: ClientContext): void {
  const { tools } = context.offering;
  server.setRequestHandler('tools/list', () => ({ tools: tools.list() }));
  server.setRequestHandler('tools/call', async ({ params }, mcp) => {
    const tool = tools.find(params.name);
    if (!tool) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}" here.`);
    }
    return await callTool(tool, params.arguments, context, mcp);
  });
}

async function callTool(
  tool: Tool,
  args: unknown,
  context: ClientContext,
  mcp: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const checked = parsePayload(tool.input, args, tool.name);
    const result = await tool.handler(context.participant, checked, callOf(context, mcp));
    if (isInputRequiredResult(result) || result.isError || tool.showsInbox) return result;
    return await withUnreadHint(result, context);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!isRelayError(error)) context.onerror(error);
    return failureResult(explained(error, context));
  }
}

const callOf = (context: ClientContext, mcp: ServerContext): Call => ({
  signal: mcp.mcpReq.signal,
  mcp,
  roles: context.roles,
  membership: context.membership,
  afterReply: (action) => context.replies.after(mcp, action),
  progress: async (progress, total, message) => {
    const progressToken = mcp.mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    const params = { progressToken, progress, total, message };
    await mcp.mcpReq.notify({ method: 'notifications/progress', params });
  },
});

/** Says what the offering cannot know: what the door advises, and that the daemon is gone rather than slow. */
function explained(error: unknown, { participant, nextSteps }: ClientContext): unknown {
  if (!isRelayError(error)) return error;
  if (error.code === 'Timeout' && !participant.isConnected) {
    return new RelayError('Connection', `The daemon went away during this call. ${error.message}`, {
      next: 'Start it with: agent-relay daemon start. Then look whether it was done before you do it again.',
      cause: error,
    });
  }
  const next = nextSteps?.[error.code];
  if (next === undefined) return error;
  return new RelayError(error.code, error.message, {
    next,
    cause: error,
    ...defined({ details: error.details }),
  });
}

/** An agent that just called a tool is listening: one line tells it that messages are waiting. */
async function withUnreadHint(result: CallToolResult, context: ClientContext): Promise<CallToolResult> {
  const { participant, offering } = context;
  const toolset = offering.tools.toolsets.find(({ tools }) => tools.some(({ showsInbox }) => showsInbox));
  if (!toolset || !participant.isConnected) return result;
  // What the tool did is done: a daemon that goes away just now costs the hint, not the result.
  const unread = await participant.countUnread().catch(() => 0);
  if (unread === 0) return result;
  const text = `You have ${unread} unread message${unread === 1 ? '' : 's'}: see ${toolset.wording.inbox}.`;
  // Some clients show their model the text of a result, others its structure: the hint must be in both.
  const { structuredContent } = result;
  return {
    ...result,
    content: [...result.content, { type: 'text', text }],
    ...(structuredContent && !Array.isArray(structuredContent)
      ? { structuredContent: { ...structuredContent, hint: text } }
      : {}),
  };
}
