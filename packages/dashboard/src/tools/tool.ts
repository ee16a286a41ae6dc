/** A tool that somebody offers. */
export interface Tool {
  name: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  /** False: the agent is asked in a message. */
  served?: boolean;
  consent?: boolean | undefined;
}
