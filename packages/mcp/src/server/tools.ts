import { forModel, parsePayload, safeLine } from '@agent-relay/protocol';
import { isRelayError, RelayError } from '@agent-relay/sdk';
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { failureResult, internalError } from '../framework/result.ts';
import type { Call, Tool } from '../framework/tool.ts';
import { mainToolset, type Toolset } from '../framework/toolset.ts';
import { actionsToolset } from '../toolsets/actions/index.ts';
import { actionTools, callAction, offersActions } from './action-tools.ts';
import type { ClientContext } from './client-context.ts';
import { takeListingTurn } from './listings.ts';
import { asClientInfo } from './messages.ts';

/** Answers `tools/list` and `tools/call`. */
export function serveTools(server: Server, context: ClientContext): void {
  const { tools } = context.offering;
  const hasActions = offersActions(context);
  server.setRequestHandler('tools/list', async (_request, mcp) => {
    context.replies.after(mcp, async (written) => {
      if (written) context.onListed?.();
    });
    if (!hasActions) return { tools: tools.list() };
    await takeListingTurn(context, mcp);
    return { tools: [...tools.list(), ...(await actionTools(context, clientName(context, mcp)))] };
  });
  server.setRequestHandler('tools/call', async ({ params }, mcp) => {
    const tool = tools.find(params.name);
    if (tool) return await callTool(tool, params.arguments, context, mcp);
    const [actionTool] = hasActions ? actionsToolset.tools : [];
    const result = actionTool && (await callGenerated(actionTool, params, context, mcp));
    if (result) return await withHints(actionTool, result, context);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}" here.`);
  });
}

/** The name of the client program, from the request or from the start of the session. */
const clientName = ({ participant }: ClientContext, { mcpReq }: ServerContext): string =>
  asClientInfo((mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY])?.name ??
  participant.clientName ??
  '';

async function callTool(
  tool: Tool,
  args: unknown,
  context: ClientContext,
  mcp: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const checked = parsePayload(tool.input, args, tool.name);
    if (tool.isLong) await takeListingTurn(context, mcp);
    const result = await tool.handler(context.participant, checked, callOf(tool, context, mcp));
    if (isInputRequiredResult(result)) return result;
    return await withHints(tool, result, context);
  } catch (error) {
    return await withHints(tool, failed(tool, error, context), context);
  }
}

/** Calls a tool that an action became; undefined if there is none of that name. `tool` is one of its toolset. */
async function callGenerated(
  tool: Tool,
  { name, arguments: args = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
  context: ClientContext,
  mcp: ServerContext,
): Promise<CallToolResult | undefined> {
  try {
    return await callAction(context.participant, name, args, callOf(tool, context, mcp));
  } catch (error) {
    return failed(tool, error, context);
  }
}

/** The result of a failed call, in the form of the toolset. */
function failed(tool: Tool, error: unknown, context: ClientContext): CallToolResult {
  if (error instanceof ProtocolError) throw error;
  if (!isRelayError(error)) context.onerror(error);
  const told = isRelayError(error) ? explained(tool, error, context) : internalError(error);
  return toolsetOf(tool, context).failure?.(told) ?? failureResult(told, tool.failed);
}

const callOf = (tool: Tool, context: ClientContext, mcp: ServerContext): Call => ({
  signal: mcp.mcpReq.signal,
  mcp,
  roles: context.roles,
  membership: context.membership,
  ...(context.environment && { environment: context.environment }),
  explained: (error) => explained(tool, error, context),
  afterReply: (action) => context.replies.after(mcp, action),
  progress: async (progress, total, message) => {
    const progressToken = mcp.mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    const params = { progressToken, progress, total, message: safeLine(message) };
    await mcp.mcpReq.notify({ method: 'notifications/progress', params });
  },
});

/** Adds what the tool cannot know: next steps of its toolset and door, and that the daemon is gone rather than slow. */
function explained(tool: Tool, error: RelayError, context: ClientContext): RelayError {
  const { participant, nextSteps } = context;
  // If the request is known to be done, it no longer matters.
  const isGone = error.code === 'Timeout' && error.retryable && !participant.isConnected;
  const { wording } = toolsetOf(tool, context);
  return forModel(isGone ? goneDuring(error) : error, wording.nextSteps, nextSteps);
}

const toolsetOf = (tool: Tool, { offering }: ClientContext): Toolset =>
  offering.tools.toolsets.find(({ tools }) => tools.includes(tool)) ?? mainToolset(offering.tools.toolsets);

const goneDuring = (error: RelayError): RelayError =>
  new RelayError('Connection', `The connection to the daemon was lost during this call. ${error.message}`, {
    next: 'Start it with: agent-relay daemon start. Before you try again, check whether the call took effect.',
    cause: error,
  });

/** Adds a hint to a tool result: the agent's name, if it does not know it, and, unless it failed, that it has unread messages. */
async function withHints(
  tool: Tool,
  result: CallToolResult,
  context: ClientContext,
): Promise<CallToolResult> {
  const { participant, naming } = context;
  if (tool.tellsName && !result.isError) naming.tell(participant.name);
  const unread = result.isError ? undefined : await unreadHint(tool, context);
  const hints = [naming.news(participant.name), unread].filter((hint) => hint !== undefined);
  if (hints.length === 0) return result;
  // Some clients show their model the text of a result, others its data: the hint must be in both.
  const text = hints.join(' ');
  const { structuredContent } = result;
  return {
    ...result,
    content: [...result.content, { type: 'text', text }],
    ...(structuredContent && !Array.isArray(structuredContent)
      ? { structuredContent: { ...structuredContent, hint: text } }
      : {}),
  };
}

async function unreadHint(tool: Tool, { participant, offering }: ClientContext): Promise<string | undefined> {
  const toolset = offering.tools.toolsets.find(({ tools }) => tools.some(({ showsInbox }) => showsInbox));
  if (!toolset || tool.showsInbox || !participant.isConnected) return undefined;
  // The tool has finished: if the daemon stops now, only the hint is lost.
  const unread = await participant.countUnread().catch(() => 0);
  if (unread === 0) return undefined;
  return `You have ${unread} unread message${unread === 1 ? '' : 's'}: see ${toolset.wording.inbox}.`;
}
