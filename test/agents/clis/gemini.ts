import { type AgentCli, NO_WAY_OUT, writeHome } from './agent-cli.ts';

const MODEL = 'gemini-2.5-flash';
const PICKS = ['A', 'B'].map((label) => ({ label, description: label }));

export const gemini: AgentCli = {
  id: 'gemini',
  title: 'Gemini',
  package: '@google/gemini-cli',
  version: '0.61.0',
  command: 'gemini',

  settle: (sandbox) =>
    writeHome(sandbox, '.gemini/settings.json', {
      security: {
        auth: { selectedType: 'gemini-api-key' },
        folderTrust: { enabled: sandbox.untrusted === true },
      },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }),

  variables: ({ modelUrl, untrusted }) => ({
    ...NO_WAY_OUT,
    GEMINI_API_KEY: 'any',
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    ...(!untrusted && { GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
  }),

  list: { args: ['mcp', 'list'], connected: /✓ agent-relay: .* Connected$/m },
  terminal: {
    args: (asks) => ['-m', MODEL, '--approval-mode', asks ? 'default' : 'yolo'],
    ready: /Type your message/,
    path: 'pty',
    // The first one tells it to ask for the second one.
    suspend: '\x1a\x1a',
    settings: '.gemini/settings.json',
    needsInstall: true,
    conversations: '.gemini/tmp/*/chats/*',
    shell: (command) => `use run_shell_command ${JSON.stringify({ command, description: 'a command' })}`,
    trust: { question: /\bDo you trust\b/, choose: '', chosen: /● 1\. Trust folder/ },
    dialog: /\bAllow execution of\b/,
    question: {
      step: `use ask_user ${JSON.stringify({
        questions: [{ question: 'Which?', header: 'Pick', type: 'choice', options: PICKS }],
      })}`,
      open: /\bEsc to cancel\b/,
    },
    retriesAtLimit: true,
    menu: { command: '/model', typed: /Manage model configuration/, open: /\bSelect Model\b/ },
    newLine: '\\\r',
  },
  // With an explicit model, no other model is called to choose one.
  ask: (prompt) => ({ args: ['-m', MODEL, '--approval-mode', 'yolo', '-p', prompt] }),
};
