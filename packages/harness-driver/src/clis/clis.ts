import { basename } from 'node:path';
import type { CliAdapter } from './adapter.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

const CLIS: readonly CliAdapter[] = [claude, codex, gemini, opencode];

/** The adapter of a command; any program can be run, and nothing is typed into one that is not known. */
export function adapterOf(command: string): CliAdapter {
  const word = basename(command).replace(/\.(js|cmd|exe)$/, '');
  return CLIS.find((cli) => cli.word === word) ?? { word, configure: async () => ({ args: [], env: {} }) };
}
