export interface Channel {
  /** The id of its conversation. */
  id: number;
  workspaceId: number;
  name: string;
  topic: string | undefined;
  createdBy: string;
  createdAt: number;
  archivedAt: number | undefined;
  /** The account it counts for, if any. */
  account: string | undefined;
}

/**
 * Channels are conversations of kind `channel` with key `#` + the name in lower case. Members get what
 * is posted after they joined. `#general` has no member rows: every agent of the workspace is in it.
 */
export interface ChannelStore {
  /** Creates a channel; undefined if one with that name exists, archived or not. */
  createChannel(channel: Omit<Channel, 'id' | 'archivedAt'>): Promise<Channel | undefined>;
  listChannels(workspaceId: number): Promise<Channel[]>;
  updateChannel(id: number, changes: { topic?: string; archivedAt?: number | null }): Promise<void>;
  /** True if the agent was not a member before. */
  addMember(channelId: number, agentId: number, at: number): Promise<boolean>;
  /** True if the agent was a member. */
  removeMember(channelId: number, agentId: number): Promise<boolean>;
  /** The members of each channel, without removed agents. */
  listMemberships(workspaceId: number): Promise<Array<{ channelId: number; agentId: number }>>;
}
