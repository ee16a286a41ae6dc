/** Where the pool of MCP servers listens for local clients: beside the socket of the project, and never longer. */
export const poolSocketPath = (socketPath: string): string => socketPath.replace(/(\.sock)?$/, '.mcp');
