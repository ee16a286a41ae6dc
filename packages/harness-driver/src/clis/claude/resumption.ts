import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findFile } from '../find-file.ts';
import type { Resumption } from '../resumption.ts';

const MESSAGE = /"type":"(?:user|assistant)"/;

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
  stored: async (id, { CLAUDE_CONFIG_DIR, HOME = homedir() }) => {
    const projects = join(CLAUDE_CONFIG_DIR || join(HOME, '.claude'), 'projects');
    const file = await findFile(join(projects, '*', `${id}.jsonl`));
    if (file === undefined) return 'nothing';
    return (await hasMessages(file)) ? 'messages' : 'notes';
  },
};

/** Its mode and its queue are written before the first message. */
async function hasMessages(file: string): Promise<boolean> {
  await using opened = await open(file);
  for await (const line of opened.readLines()) if (MESSAGE.test(line)) return true;
  return false;
}
