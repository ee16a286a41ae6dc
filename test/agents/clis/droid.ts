import { type AgentCli, NO_WAY_OUT } from './agent-cli.ts';

/** It calls no model without an account, but lists and connects its servers. */
export const droid: AgentCli = {
  id: 'droid',
  title: 'Droid',
  package: 'droid',
  version: '0.215.0',
  command: 'droid',
  settle: async () => undefined,
  variables: () => NO_WAY_OUT,
  list: { args: ['mcp', 'list'], connected: /agent-relay +stdio +connected/ },
};
