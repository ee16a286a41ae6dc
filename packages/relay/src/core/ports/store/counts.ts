/** The messages of one minute. */
export interface MinuteCount {
  /** Minutes since 1970. */
  minute: number;
  messages: number;
}

export interface CountQuery {
  workspaceId: number;
  /** Only what this agent sent. */
  senderId?: number;
  /** The first and the last minute. */
  from: number;
  until: number;
}

export interface CountStore {
  /**
   * How many messages were stored in the workspace per minute of their creation, in order, without those of the relay itself;
   * minutes without any are left out. As fast with a million messages as with ten.
   */
  countMessages(query: CountQuery): Promise<MinuteCount[]>;
}
