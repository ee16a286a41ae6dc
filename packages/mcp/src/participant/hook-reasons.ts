import type { HookReasons } from '@agent-relay/protocol';

/**
 * Why messages wait in a client with installed hooks while none of them runs: before one has run, and after. Claude Code and
 * OpenCode have a process that always waits; the others run theirs during turns only, and Codex only those that the user trusts.
 */
export const HOOK_REASONS: Readonly<Record<string, HookReasons>> = {
  claude: { before: 'no_hook', between: 'no_hook' },
  codex: { before: 'hook_not_trusted', between: 'between_turns' },
  opencode: { before: 'no_interface', between: 'no_interface' },
  gemini: { before: 'between_turns', between: 'between_turns' },
};
