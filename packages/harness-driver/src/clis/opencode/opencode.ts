import { type CliAdapter, SERVER_NAME } from '../adapter.ts';
import { opencodeConversation } from './conversation.ts';
import { withPlugin } from './plugin.ts';
import { opencodeResumption } from './resumption.ts';
import { opencodeScreen } from './screen.ts';

const CONTENT = 'OPENCODE_CONFIG_CONTENT';

export const opencode: CliAdapter = {
  word: 'opencode',
  proven: ['1.18.33'],
  paths: () => ['native', 'pty'],
  /** A variable holds configuration that is merged over the files. */
  async configure(run) {
    const { server, env } = run;
    const { command, args, env: environment } = server;
    const { permission = {}, ...present } = JSON.parse(env[CONTENT] || '{}');
    const entry = { type: 'local', command: [command, ...args], environment, enabled: true };
    const content = {
      ...present,
      mcp: { ...present.mcp, [SERVER_NAME]: entry },
      // One word stands for all tools. The last matching rule wins.
      permission: {
        ...(typeof permission === 'string' ? { '*': permission } : permission),
        [`${SERVER_NAME}_*`]: 'allow',
      },
    };
    const plugin = await withPlugin(run);
    return { args: [], ...plugin, env: { ...plugin?.env, [CONTENT]: JSON.stringify(content) } };
  },
  resumption: opencodeResumption,
  screen: opencodeScreen,
  conversation: opencodeConversation,
};
