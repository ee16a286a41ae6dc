import { type CliAdapter, SERVER_NAME } from '../adapter.ts';
import { claudeConversation } from './conversation.ts';
import { claudeHooks, hasHooks } from './hooks.ts';
import { claudeResumption } from './resumption.ts';
import { claudeScreen } from './screen.ts';

export const claude: CliAdapter = {
  word: 'claude',
  proven: ['2.1.325', '2.1.327'],
  paths: ({ args }) => (hasHooks(args) ? ['hook', 'pty'] : ['pty']),
  async configure(run) {
    const config = await run.writeFile(
      'mcp.json',
      JSON.stringify({ mcpServers: { [SERVER_NAME]: run.server } }),
    );
    // With `=`: the options take several values, so a following prompt would be taken as one.
    const args = [`--mcp-config=${config}`, `--allowedTools=mcp__${SERVER_NAME}`];
    const hooks = hasHooks(run.args) ? await claudeHooks(run) : undefined;
    if (hooks === undefined) return { args, env: {} };
    const { file, given, channel } = hooks;
    return { args: [...args, `--settings=${file}`], env: {}, given, channel };
  },
  resumption: claudeResumption,
  screen: claudeScreen,
  conversation: claudeConversation,
};
