import { describe, expect, it } from 'vitest';
import type { RunFacts } from './adapter.ts';
import { adapterOf } from './clis.ts';

const TOKEN = 'at_secret';
const server = { command: '/bin/node', args: ['relay.js', 'mcp'], env: { RELAY_AGENT_TOKEN: TOKEN } };

async function configured(command: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const files = new Map<string, string>();
  const writeFile: RunFacts['writeFile'] = async (name, content) => {
    files.set(`/run/${name}`, content);
    return `/run/${name}`;
  };
  return { ...(await adapterOf(command).configure({ server, args, env, writeFile })), files };
}

describe('what a run of a CLI is given', () => {
  it('is a file for claude, named so that no prompt is taken for one', async () => {
    const { args, files } = await configured('/usr/bin/claude');
    expect(args).toEqual(['--mcp-config=/run/mcp.json', '--allowedTools=mcp__agent-relay']);
    expect(JSON.parse(files.get('/run/mcp.json') ?? '')).toEqual({ mcpServers: { 'agent-relay': server } });
  });

  it('is options for codex, without any secret, and no daemon that would not see them', async () => {
    const { args, env } = await configured('codex');
    expect(args.slice(0, 3)).toEqual(['--no-daemon', '-c', 'mcp_servers.agent-relay.command="/bin/node"']);
    expect(args).toContain('mcp_servers.agent-relay.env_vars=["RELAY_AGENT_TOKEN"]');
    expect(args.join(' ')).not.toContain(TOKEN);
    expect(env).toEqual({ RELAY_AGENT_TOKEN: TOKEN });
    expect((await configured('codex', ['exec', 'a prompt'])).args[0]).toBe('-c');
    expect((await configured('codex', ['resume'])).args[0]).toBe('--no-daemon');
    expect((await configured('codex', ['fix the build'])).args[0]).toBe('--no-daemon');
  });

  it('is a variable for opencode, with what was in it', async () => {
    const present = { theme: 'dark', mcp: { other: { type: 'local' } } };
    const { env } = await configured('opencode', [], { OPENCODE_CONFIG_CONTENT: JSON.stringify(present) });
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '')).toEqual({
      theme: 'dark',
      mcp: {
        other: { type: 'local' },
        'agent-relay': {
          type: 'local',
          command: ['/bin/node', 'relay.js', 'mcp'],
          environment: { RELAY_AGENT_TOKEN: TOKEN },
          enabled: true,
        },
      },
      permission: { 'agent-relay_*': 'allow' },
    });
    const asks = { OPENCODE_CONFIG_CONTENT: '{ "permission": "ask" }' };
    const permission = JSON.parse(
      (await configured('opencode', [], asks)).env.OPENCODE_CONFIG_CONTENT ?? '',
    ).permission;
    expect(Object.entries(permission)).toEqual([
      ['*', 'ask'],
      ['agent-relay_*', 'allow'],
    ]);
  });

  it('is nothing for gemini, which takes no servers for one run', async () => {
    expect(await configured('gemini')).toMatchObject({ args: [], env: {} });
  });

  it('is nothing for other programs, which are never typed into', async () => {
    expect(await configured('vim')).toMatchObject({ args: [], env: {} });
    expect(adapterOf('vim')).toMatchObject({ word: 'vim' });
    expect(adapterOf('vim').screen).toBeUndefined();
  });
});
