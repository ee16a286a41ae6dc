/** Somebody who starts the server by hand, in a terminal, is told why nothing happens. */
export function tellPerson(): void {
  if (!process.stdin.isTTY) return;
  process.stderr.write(
    'This speaks MCP with the program that starts it. Enter it in your clients with: agent-relay mcp install\n',
  );
}
