/** The programs whose MCP clients call themselves otherwise than their users do. */
const KNOWN: ReadonlyArray<[pattern: RegExp, cli: string]> = [
  [/^claude-code\b/, 'claude'],
  [/^claude-ai\b/, 'claude-desktop'],
  [/^codex\b/, 'codex'],
  [/^gemini-cli\b/, 'gemini'],
  [/^opencode\b/, 'opencode'],
  [/^cursor\b/, 'cursor'],
  [/^visual studio code\b/, 'vscode'],
];

/** The command line tool behind an MCP client, by the name it gives itself. */
export function cliOf(clientName: string): string | undefined {
  const name = clientName.trim().toLowerCase();
  const known = KNOWN.find(([pattern]) => pattern.test(name));
  return known?.[1] ?? (name === '' ? undefined : name.slice(0, 64));
}
