import { expect, it } from 'vitest';
import { agentEnvironment } from './environment.ts';

it('keeps what programs need, without the identity of the spawning agent', () => {
  const own = { name: 'Worker', token: 'at_own', project: 'demo', dataDirectory: '/data' };
  const inherited = {
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy',
    RELAY_AGENT_NAME: 'Lead',
    RELAY_AGENT_TOKEN: 'at_other',
    RELAY_MCP_API_KEY: 'secret',
    TMUX: '/tmp/tmux',
    TERM: 'dumb',
    CLAUDECODE: '1',
    UNSET: undefined,
  };
  expect(agentEnvironment(inherited, own)).toEqual({
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    RELAY_DATA_DIR: '/data',
    RELAY_PROJECT: 'demo',
    RELAY_AGENT_NAME: 'Worker',
    RELAY_AGENT_TOKEN: 'at_own',
  });
});
