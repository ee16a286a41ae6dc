import { readIfThere } from '@agent-relay/platform';
import { type CliAdapter, SERVER_NAME } from './adapter.ts';

const DEFAULTS = 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH';
const DEFAULT_PATH = '/etc/gemini-cli/system-defaults.json';

export const gemini: CliAdapter = {
  word: 'gemini',
  /** Its system defaults are what everything else is merged into; those of the machine stay in force. */
  async configure({ server, env, writeFile }) {
    const present = JSON.parse((await readIfThere(env[DEFAULTS] || DEFAULT_PATH)) ?? '{}');
    const mcpServers = { ...present.mcpServers, [SERVER_NAME]: { ...server, trust: true } };
    const file = await writeFile('defaults.json', JSON.stringify({ ...present, mcpServers }));
    return { args: [], env: { [DEFAULTS]: file } };
  },
};
