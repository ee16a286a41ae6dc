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

/** All tools in one list that are made of actions: anybody in the project can add some. */
const MAX_LISTED_BYTES = 512 * 1024;
const SEPARATOR_BYTES = 1;

export const offersActions = ({ offering }: ClientContext): boolean =>
  offering.tools.toolsets.some(({ name }) => name === ACTIONS_TOOLSET);

/**
 * The actions that a session may invoke, as tools: the first by name that fit in the size of a list. The others are left
 * to `invoke_action`, and so is a name that the server has itself.
 */
export async function actionTools(context: ClientContext, client: string): Promise<ListedTool[]> {
  const { participant, offering } = context;
  const own = new Set(offering.tools.list().map(({ name }) => actionKey(name)));
  const tools: ListedTool[] = [];
  let bytes = 0;
  const add = (action: ActionInfo) => {
    if (bytes > MAX_LISTED_BYTES || own.has(actionKey(action.name))) return;
    const tool = listed(action, client);
    bytes += Buffer.byteLength(JSON.stringify(tool)) + SEPARATOR_BYTES;
    if (bytes <= MAX_LISTED_BYTES) tools.push(tool);
  };
  // Without a daemon there are none; the tools that are always there say why.
  return await participant.eachAction(add).then(
    () => tools,
    () => [],
  );
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
  let found: string | undefined;
  await participant.eachAction((one) => {
    if (actionKey(one.name) === actionKey(name)) found = one.name;
  });
  // If its owner has just left, the call of a known tool fails; the tool is not unknown.
  if (found === undefined && !participant.knewAction(name)) return undefined;
  return invoke(participant, found ?? name, args, { wait: false, timeoutMs: 30_000 }, call);
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
