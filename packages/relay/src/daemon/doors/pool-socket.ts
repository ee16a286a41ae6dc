/** Where the pool of MCP servers listens for local clients: next to the project's socket, with a path no longer. */
export const poolSocketPath = (socketPath: string): string => socketPath.replace(/(\.sock)?$/, '.mcp');
