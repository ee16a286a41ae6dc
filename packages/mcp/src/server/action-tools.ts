import { actionKey, safeData } from '@agent-relay/protocol';
import type { ActionInfo } from '@agent-relay/sdk';
import type { CallToolResult, Tool as ListedTool, Server } from '@modelcontextprotocol/server';
import { type Call, RUNS } from '../framework/tool.ts';
import type { Participant } from '../participant/participant.ts';
import { ACTIONS_TOOLSET } from '../toolsets/actions/index.ts';
import { invoke } from '../toolsets/actions/invoke-action.ts';
import { withoutDialect } from '../toolsets/actions/without-dialect.ts';
import type { ClientContext } from './client-context.ts';

/**
 * Clients whose models' APIs refuse dots in tool names, and that may not replace them. Claude Code,
 * Codex, OpenCode and Gemini CLI get the name as it is: `npm run test:agents` shows that they can call it.
 */
const WITHOUT_DOTS =
  /claude-ai|claude desktop|openai|cursor|vscode|visual studio code|copilot|droid|factory|windsurf|cline|zed/i;

export const offersActions = ({ offering }: ClientContext): boolean =>
  offering.tools.toolsets.some(({ name }) => name === ACTIONS_TOOLSET);

/** The actions that a session may invoke, as tools. A name that the server has itself is left to `invoke_action`. */
export async function actionTools(context: ClientContext, client: string): Promise<ListedTool[]> {
  const { participant, offering } = context;
  // Without a daemon there are none; the tools that are always there say why.
  const actions = await participant.actions().catch(() => []);
  const own = new Set(offering.tools.list().map(({ name }) => actionKey(name)));
  return actions.filter(({ name }) => !own.has(actionKey(name))).map((action) => listed(action, client));
}

/** The schema is another agent's text too. */
const listed = ({ name, description, inputSchema, owner, consent }: ActionInfo, client: string): ListedTool =>
  safeData({
    name: WITHOUT_DOTS.test(client) ? name.replaceAll('.', '_') : name,
    description: `${description} (action of ${owner}${consent ? '; a person has to allow it' : ''})`,
    inputSchema: { ...withoutDialect(inputSchema), type: 'object' } as ListedTool['inputSchema'],
    annotations: RUNS,
  });

/** Performs a tool that an action became, by either spelling; undefined if the session never had such a tool. */
export async function callAction(
  participant: Participant,
  name: string,
  args: Record<string, unknown>,
  call: Call,
): Promise<CallToolResult | undefined> {
  const found = (await participant.actions()).find((one) => actionKey(one.name) === actionKey(name));
  // If its owner has just left, the call of a known tool fails; the tool is not unknown.
  if (!found && !participant.knewAction(name)) return undefined;
  return invoke(participant, found?.name ?? name, args, { wait: false, timeoutMs: 30_000 }, call);
}

/** Notifies the client of a long connection when its actions change. */
export function serveActionChanges(server: Server, context: ClientContext): void {
  const stop = followActions(context, () => server.sendToolListChanged().catch(context.onerror));
  const closed = server.onclose;
  server.onclose = () => {
    stop();
    closed?.();
  };
}

export function followActions({ participant }: ClientContext, changed: () => void): () => void {
  participant.events.on('actions', changed);
  return () => participant.events.off('actions', changed);
}
