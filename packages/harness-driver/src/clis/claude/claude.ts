import { type CliAdapter, SERVER_NAME } from '../adapter.ts';
import { claudeConversation } from './conversation.ts';
import { claudeHooks, hasHooks } from './hooks.ts';
import { claudeResumption } from './resumption.ts';
import { claudeScreen } from './screen.ts';

export const claude: CliAdapter = {
  word: 'claude',
  proven: ['2.1.325', '2.1.327'],
  beginsWithoutTools: true,
  paths: ({ args }) => (hasHooks(args) ? ['hook', 'pty'] : ['pty']),
  async configure(run) {
    const hooks = hasHooks(run.args) ? await claudeHooks(run) : undefined;
    // Its model sees these tools from its first turn on, without a search for them.
    const server = { ...run.server, alwaysLoad: true };
    const config = await run.writeFile('mcp.json', JSON.stringify({ mcpServers: { [SERVER_NAME]: server } }));
    // With `=`: the options take several values, so a following prompt would be taken as one.
    const args = [`--mcp-config=${config}`, `--allowedTools=mcp__${SERVER_NAME}`];
    if (hooks === undefined) return { args, env: {} };
    const { file, given, channel } = hooks;
    return { args: [...args, `--settings=${file}`], env: {}, given, channel };
  },
  resumption: claudeResumption,
  screen: claudeScreen,
  conversation: claudeConversation,
};
