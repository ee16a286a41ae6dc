import { type CliAdapter, SERVER_NAME } from './adapter.ts';
import { opencodeConversation } from './opencode-conversation.ts';
import { opencodeScreen } from './opencode-screen.ts';

const CONTENT = 'OPENCODE_CONFIG_CONTENT';

export const opencode: CliAdapter = {
  word: 'opencode',
  /** A variable holds configuration that is merged over the files. */
  async configure({ server: { command, args, env: environment }, env }) {
    const { permission = {}, ...present } = JSON.parse(env[CONTENT] || '{}');
    const entry = { type: 'local', command: [command, ...args], environment, enabled: true };
    const content = {
      ...present,
      mcp: { ...present.mcp, [SERVER_NAME]: entry },
      // One word stands for all tools. Of the rules that match, the last one counts.
      permission: {
        ...(typeof permission === 'string' ? { '*': permission } : permission),
        [`${SERVER_NAME}_*`]: 'allow',
      },
    };
    return { args: [], env: { [CONTENT]: JSON.stringify(content) } };
  },
  screen: opencodeScreen,
  conversation: opencodeConversation,
};
