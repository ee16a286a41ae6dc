/** The project of its start: a directory, and the name if one was given. */
export interface StartedFor {
  directory: string;
  project?: string;
}

/** The options to choose other ports. */
export interface PortOptions {
  http: string;
  mcp: string;
}

export const PORT_OPTIONS: PortOptions = {
  http: '--port or RELAY_HTTP_PORT',
  mcp: '--mcp-http PORT or RELAY_MCP_HTTP_PORT',
};
