import { basename } from 'node:path';
import type { CliAdapter } from './adapter.ts';
import { claude } from './claude/claude.ts';
import { codex } from './codex/codex.ts';
import { gemini } from './gemini/gemini.ts';
import { opencode } from './opencode/opencode.ts';

const CLIS: readonly CliAdapter[] = [claude, codex, gemini, opencode];

/** The adapter of a command. Any program can be run; nothing is typed into unknown ones. */
export function adapterOf(command: string): CliAdapter {
  const word = basename(command).replace(/\.(js|cmd|exe)$/, '');
  const known = CLIS.find((cli) => cli.word === word);
  return known ?? { word, proven: [], configure: async () => ({ args: [], env: {} }) };
}
