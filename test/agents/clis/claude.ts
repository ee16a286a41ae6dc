import { type AgentCli, NO_WAY_OUT, writeHome } from './agent-cli.ts';

export const KEY = 'sk-ant-scripted-model-0123456789';
const PICKS = ['A', 'B'].map((label) => ({ label, description: label }));

export const claude: AgentCli = {
  id: 'claude',
  title: 'Claude',
  package: '@anthropic-ai/claude-code',
  version: '2.1.327',
  earlier: ['2.1.325'],
  command: 'claude',

  async settle(sandbox) {
    await writeHome(sandbox, '.claude.json', {
      hasCompletedOnboarding: true,
      bypassPermissionsModeAccepted: true,
      // It remembers an approved key by its last characters.
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: sandbox.untrusted
        ? {}
        : { [sandbox.project]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['agent-relay'] } },
    });
    await writeHome(sandbox, '.claude/settings.json', {
      skipDangerousModePermissionPrompt: true,
      ...(sandbox.withoutHooks && { disableAllHooks: true }),
    });
  },

  variables: ({ modelUrl }) => ({
    ...NO_WAY_OUT,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    DISABLE_AUTOUPDATER: '1',
    // List tools directly, without tool search.
    ENABLE_TOOL_SEARCH: 'false',
    // A model that fails is asked once more, not for minutes.
    CLAUDE_CODE_MAX_RETRIES: '1',
    // Root may skip permissions only in a declared sandbox.
    IS_SANDBOX: '1',
  }),

  list: { args: ['mcp', 'list'], connected: /^agent-relay: .* Connected$/m },
  terminal: {
    args: (asks) => (asks ? ['--permission-mode', 'manual'] : ['--dangerously-skip-permissions']),
    ready: /^❯/m,
    path: 'hook',
    answersPrompts: true,
    settings: '.claude/settings.json',
    suspend: '\x1a',
    retriesAtLimit: true,
    conversations: '.claude/projects/*/*.jsonl',
    shell: (command, _asks, description = 'a command') =>
      `use Bash ${JSON.stringify({ command, description })}`,
    trust: { question: /\btrust this folder\b/, choose: '\x1b[B', chosen: /❯ Yes, I trust/ },
    dialog: /\bDo you want to proceed\b/,
    question: {
      step: `use AskUserQuestion ${JSON.stringify({
        questions: [{ question: 'Which?', header: 'Pick', multiSelect: false, options: PICKS }],
      })}`,
      open: /\bEsc to cancel\b/,
    },
    menu: { command: '/model', typed: /\/model +Switch model\b/, open: /\bSelect model\b/ },
    newLine: '\\\r',
  },
  ask: (prompt) => ({ args: ['-p', prompt, '--dangerously-skip-permissions'] }),
};
