import { type AgentCli, NO_WAY_OUT, writeHome } from './agent-cli.ts';

const MODEL = 'gemini-2.5-flash';

export const gemini: AgentCli = {
  id: 'gemini',
  title: 'Gemini',
  package: '@google/gemini-cli',
  version: '0.61.0',
  command: 'gemini',

  settle: (sandbox) =>
    writeHome(sandbox, '.gemini/settings.json', {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }),

  variables: ({ modelUrl }) => ({
    ...NO_WAY_OUT,
    GEMINI_API_KEY: 'any',
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),

  list: { args: ['mcp', 'list'], connected: /✓ agent-relay: .* Connected$/m },
  // With an explicit model, no other model is called to choose one.
  ask: (prompt) => ({ args: ['-m', MODEL, '--approval-mode', 'yolo', '-p', prompt] }),
};
