import { homedir } from 'node:os';
import { join } from 'node:path';
import { findFile } from '../find-file.ts';
import type { Resumption } from '../resumption.ts';

/** How many characters of the id are in its file name. */
const ID_LENGTH = 8;

export const geminiResumption: Resumption = {
  options: {
    valued: [
      ...['-m', '--model', '-p', '--prompt', '-i', '--prompt-interactive', '--approval-mode', '--policy'],
      ...['--admin-policy', '--allowed-mcp-server-names', '--allowed-tools', '-e', '--extensions'],
      ...['-r', '--resume', '--session-file', '--session-id', '--delete-session', '--include-directories'],
      ...['-o', '--output-format', '-w', '--worktree'],
    ],
    once: [
      ...['-p', '--prompt', '-i', '--prompt-interactive', '-r', '--resume', '--session-file', '--session-id'],
      ...['-w', '--worktree', '--acp', '--experimental-acp', '-l', '--list-extensions', '--list-sessions'],
      '--delete-session',
    ],
  },
  begin: (id) => ['--session-id', id],
  resume: (id) => ['--resume', id],
  stored: async (id, { HOME = homedir() }) => {
    const chats = join(HOME, '.gemini', 'tmp', '*', 'chats');
    const file = await findFile(join(chats, `session-*-${id.slice(0, ID_LENGTH)}.json*`));
    return file === undefined ? 'nothing' : 'messages';
  },
};
