import { expect, it } from 'vitest';
import { cliOf } from './client-name.ts';

it.each([
  ['claude-code', 'claude'],
  ['codex-mcp-client', 'codex'],
  ['gemini-cli-mcp-client', 'gemini'],
  ['opencode', 'opencode'],
  ['cursor-vscode', 'cursor'],
  ['Visual Studio Code', 'vscode'],
  ['My Agent', 'my agent'],
  ['', undefined],
  ['mcp-test-client', undefined],
])('maps the client name %j to %j', (name, cli) => {
  expect(cliOf(name)).toBe(cli);
});
