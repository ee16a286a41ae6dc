import { homedir } from 'node:os';
import { join } from 'node:path';
import { hasFile } from './has-file.ts';
import type { Resumption } from './resumption.ts';

/** Its hooks report a change of conversation, after `/clear` or `/resume`. */
export const claudeResumption: Resumption = {
  options: {
    valued: [
      ...['--agent', '--agents', '--append-system-prompt', '--autocompact', '--debug-file', '--effort'],
      ...['--environment', '--fallback-model', '--input-format', '--json-schema', '--max-budget-usd'],
      ...['--model', '-n', '--name', '--output-format', '--permission-mode', '--permission-prompts'],
      ...['--plugin-dir', '--plugin-url', '--remote-control-session-name-prefix', '--session-id'],
      ...['--setting-sources', '--settings', '--system-prompt', '--system-prompt-snapshot'],
    ],
    greedy: [
      ...['--add-dir', '--allowedTools', '--allowed-tools', '--betas', '--cloud', '-d', '--debug'],
      ...['--disallowedTools', '--disallowed-tools', '--file', '--from-pr', '--mcp-config', '-r', '--resume'],
      ...['--prompt-suggestions', '--remote-control', '--teleport', '--tools', '-w', '--worktree'],
    ],
    once: [
      ...['--session-id', '-r', '--resume', '-c', '--continue', '--fork-session', '--from-pr', '--cloud'],
      ...['--teleport', '-p', '--print', '--bg', '--background', '--desktop', '-w', '--worktree', '--tmux'],
    ],
  },
  begin: (id) => [`--session-id=${id}`],
  resume: (id) => [`--resume=${id}`],
  exists: (id, { CLAUDE_CONFIG_DIR, HOME = homedir() }) =>
    hasFile(join(CLAUDE_CONFIG_DIR || join(HOME, '.claude'), 'projects', '*', `${id}.jsonl`)),
};
