import { git } from '../../kit/repository.ts';
import { type AgentCli, NO_WAY_OUT, writeHome } from './agent-cli.ts';

const PICKS = ['A', 'B'].map((label) => ({ label, description: label }));

export const codex: AgentCli = {
  id: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  version: '0.169.0',
  earlier: ['0.166.0'],
  command: 'codex',

  async settle(sandbox) {
    // It asks whether to trust repositories only, and only where nothing else says what it may do.
    if (sandbox.untrusted) git(sandbox.project, 'init', '--quiet');
    const permissions = `approval_policy = "${sandbox.asks ? 'on-request' : 'never'}"
sandbox_mode = "${sandbox.asks ? 'read-only' : 'danger-full-access'}"
`;
    const trust = `[projects."${sandbox.project}"]
trust_level = "trusted"
`;
    await writeHome(
      sandbox,
      '.codex/config.toml',
      `# The model of the test.
model = "scripted"
model_provider = "scripted"
${sandbox.untrusted ? '' : permissions}check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "${sandbox.modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[analytics]
enabled = false

[features]
plugins = false # it would look for them on the network
remote_plugin = false
apps = false

${sandbox.untrusted ? '' : trust}`,
    );
  },

  variables: () => ({ ...NO_WAY_OUT, SCRIPTED_KEY: 'any' }),
  // This only lists the configuration; a session connects.
  list: { args: ['mcp', 'list'], connected: /^agent-relay .*enabled/m },
  terminal: {
    args: () => [],
    ready: /^› /m,
    path: 'pty',
    native: true,
    suspend: '\x1a',
    answersPrompts: true,
    conversations: '.codex/sessions/**/*.jsonl',
    // Its shared daemon would outlive it.
    plainArgs: ['--no-daemon'],
    trustHooks: ['--dangerously-bypass-hook-trust'],
    settings: '.codex/config.toml',
    shell: (cmd, asks, justification = 'a test') => {
      const escalation = { sandbox_permissions: 'require_escalated', justification };
      return `use exec_command ${JSON.stringify({ cmd, ...(asks && escalation) })}`;
    },
    trust: { question: /\bTrust this folder\?/, choose: '', chosen: /› 1\. Trust and continue/ },
    question: {
      step: `use request_user_input ${JSON.stringify({
        questions: [{ id: 'pick', header: 'Pick', question: 'Which?', options: PICKS }],
      })}`,
      open: /\benter to submit answer\b/,
      mode: { keys: '\x1b[Z', shown: /\bPlan mode\b.*cycle/ },
    },
    dialog: /\bPress enter to confirm\b/,
    menu: { command: '/model', typed: /\/model +choose\b/, open: /\bSelect Model\b/ },
    newSession: /\/new\b.*start/i,
    newLine: '\n',
  },
  keepsTools: true,
  // A server that is not required may come too late for the first turn on a busy machine.
  ask: (prompt) => ({
    args: ['exec', '--skip-git-repo-check', '-c', 'mcp_servers.agent-relay.required=true', prompt],
  }),
};
