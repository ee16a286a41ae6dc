import { type CliAdapter, SERVER_NAME } from './adapter.ts';
import { claudeScreen } from './claude-screen.ts';

export const claude: CliAdapter = {
  word: 'claude',
  async configure({ server, writeFile }) {
    const config = await writeFile('mcp.json', JSON.stringify({ mcpServers: { [SERVER_NAME]: server } }));
    // With `=`, because the options take several values: a prompt that follows would be taken for one.
    return { args: [`--mcp-config=${config}`, `--allowedTools=mcp__${SERVER_NAME}`], env: {} };
  },
  screen: claudeScreen,
};
