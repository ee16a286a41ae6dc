/**
 * The word by which `name.tool` finds an agent or an MCP server, and with which the name of an action may begin. In a project it belongs to
 * one of them: that is checked when a name is taken, so that a call cannot mean two things.
 */
export function callWord(name: string): string {
  const [word = name] = name.split('.', 1);
  return word;
}
