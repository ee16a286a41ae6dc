import { actionKey } from '../names/names.ts';

/** The tools of the relay's own MCP toolsets, without those that begin with `relay_`. */
const TOOLS = `
  add_agent add_reaction archive_channel check_inbox create_channel create_workspace get_invocation
  get_message_readers get_message_thread invite_to_channel invoke_action join_channel leave_channel
  list_actions list_agents list_channels list_dms list_messages list_pending mark_message_read
  post_message query_nodes read_messages register_agent remove_agent remove_reaction reply_to_thread
  search_messages send_dm send_group_dm set_channel_topic set_workspace_key spawn submit_result
`;

const KEYS: ReadonlySet<string> = new Set(TOOLS.trim().split(/\s+/));

/** Whether the relay has a tool with this name. An action may not share it: tool names are unique in a client. */
export const isRelayTool = (name: string): boolean =>
  KEYS.has(actionKey(name)) || actionKey(name).startsWith('relay_');
