import { type AgentCli, NO_WAY_OUT, writeHome } from './agent-cli.ts';

const PICKS = ['A', 'B'].map((label) => ({ label, description: label }));

export const opencode: AgentCli = {
  id: 'opencode',
  title: 'OpenCode',
  package: 'opencode-ai',
  version: '1.18.33',
  command: 'opencode',

  settle: (sandbox) =>
    writeHome(sandbox, '.config/opencode/opencode.json', {
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
      enabled_providers: ['scripted'],
      permission: { '*': sandbox.asks ? 'ask' : 'allow' },
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          name: 'scripted',
          options: { baseURL: `${sandbox.modelUrl}/v1`, apiKey: 'any' },
          models: {
            scripted: { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 8000 } },
          },
        },
      },
    }),

  variables: ({ withoutHooks }) => ({
    ...NO_WAY_OUT,
    ...(withoutHooks && { OPENCODE_PURE: '1' }),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),

  list: { args: ['mcp', 'list'], connected: /✓ agent-relay .*connected/ },
  terminal: {
    args: () => [],
    ready: /Ask anything/,
    conversations: '.local/share/opencode/**/*.{json,db,db-wal}',
    path: 'native',
    typesFirst: true,
    suspend: '\x1a',
    answersPrompts: true,
    settings: '.config/opencode/opencode.json',
    shell: (command, _asks, description = 'a command') =>
      `use bash ${JSON.stringify({ command, description })}`,
    dialog: /\bPermission required\b/,
    question: {
      step: `use question ${JSON.stringify({
        questions: [{ question: 'Which?', header: 'Pick', options: PICKS }],
      })}`,
      open: /\besc dismiss\b/,
    },
    retriesAtLimit: true,
    menu: { command: '/models', typed: /\/models +Switch model/, open: /\bSelect model\b/ },
    newSession: /\/new +New session/i,
    newLine: '\n',
  },
  // An argument with spaces would reach the model in quotes.
  ask: (prompt) => ({ args: ['run'], input: prompt }),
};
