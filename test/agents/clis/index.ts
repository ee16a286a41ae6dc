import type { AgentCli } from './agent-cli.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

/** Those that are run in terminals, in the order of the documentation. */
export const TERMINAL_CLIS: readonly AgentCli[] = [claude, codex, gemini, opencode];
