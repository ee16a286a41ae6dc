/**
 * Serves the MCP client that started this process on standard input and output, with the toolsets of a list such as
 * `relay,network`, until the client disconnects. Sets the exit code.
 */
export function serve(tools: string): Promise<void>;
