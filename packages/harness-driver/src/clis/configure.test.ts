import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunFacts } from './adapter.ts';
import { adapterOf } from './clis.ts';

const TOKEN = 'at_secret';
const server = { command: '/bin/node', args: ['relay.js', 'mcp'], env: { RELAY_AGENT_TOKEN: TOKEN } };

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'relay-run-'));
});
afterEach(() => rm(cwd, { recursive: true }));

async function configured(command: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const run: RunFacts = {
    file: '/usr/bin/false',
    server,
    args,
    env,
    cwd,
    native: false,
    async writeFile(name, content) {
      await writeFile(join(cwd, name), content);
      return join(cwd, name);
    },
    socketPath: async (name) => join(cwd, name),
  };
  const { channel, ...setup } = await adapterOf(command).configure(run);
  await channel?.[Symbol.asyncDispose]();
  return { ...setup, hasChannel: channel !== undefined };
}

const readJson = async (name: string) => JSON.parse(await readFile(join(cwd, name), 'utf8'));

describe('what a run of a CLI is given', () => {
  it('is a file for claude, named so that no prompt is taken for one', async () => {
    const { args } = await configured('/usr/bin/claude');
    expect(args).toEqual([
      `--mcp-config=${cwd}/mcp.json`,
      '--allowedTools=mcp__agent-relay',
      `--settings=${cwd}/settings.json`,
    ]);
    expect(await readJson('mcp.json')).toEqual({
      mcpServers: { 'agent-relay': { ...server, alwaysLoad: true } },
    });
    const { hooks } = await readJson('settings.json');
    expect(hooks.Stop).toEqual([{ hooks: [expect.objectContaining({ asyncRewake: true })] }]);
    expect(hooks.StopFailure).toEqual([{ hooks: [expect.objectContaining({ async: true })] }]);
    // Beside the dialog, and able to decide: not in the background.
    expect(hooks.PermissionRequest).toEqual([{ hooks: [expect.not.objectContaining({ async: true })] }]);
    expect(JSON.stringify(hooks)).not.toContain(TOKEN);
  });

  it.each([
    ['a file', () => ['--settings', 'mine.json']],
    ['a file, and another one before it', () => ['--settings={}', `--settings=${cwd}/mine.json`]],
    ['JSON', async () => ['--settings', await readFile(join(cwd, 'mine.json'), 'utf8')]],
  ])('keeps the settings a person gives claude as %s', async (_what, settings) => {
    const mine = { hooks: [{ type: 'command', command: 'true' }] };
    await writeFile(
      join(cwd, 'mine.json'),
      JSON.stringify({ model: 'opus', hooks: { Stop: [mine], PreToolUse: [mine] } }),
    );
    const { given } = await configured('claude', [
      '--verbose',
      ...(await settings()),
      'a prompt',
      '--',
      '--settings',
    ]);
    expect(given).toEqual(['--verbose', 'a prompt', '--', '--settings']);
    const { model, hooks } = await readJson('settings.json');
    expect(model).toBe('opus');
    expect(hooks.PreToolUse).toEqual([mine]);
    expect(hooks.Stop[0]).toEqual(mine);
    expect(hooks.Stop).toHaveLength(2);
  });

  it.each([
    ['a print run, which would wait for its hooks', ['-p', 'a prompt']],
    ['settings that cannot be read, which claude tells itself', ['--settings', 'missing.json']],
    ['settings that are none', ['--settings', '{']],
  ])('has no hooks for %s', async (_what, args) => {
    const setup = await configured('claude', args);
    expect(setup.hasChannel).toBe(false);
    expect(setup.given).toBeUndefined();
    expect(setup.args.join()).not.toContain('--settings');
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

  it('is a plugin of its own for opencode, unless the person has a file for those', async () => {
    const { env, hasChannel } = await configured('opencode');
    expect(env.OPENCODE_TUI_CONFIG).toBe(join(cwd, 'tui.json'));
    expect(hasChannel).toBe(true);
    const [[file, options]] = (await readJson('tui.json')).plugin;
    expect(file).toMatch(/^file:\/\/.*\/bin\/opencode-plugin\.js$/);
    expect(options).toEqual({ socket: join(cwd, 'opencode') });
    const mine = await configured('opencode', [], { OPENCODE_TUI_CONFIG: '/mine.json' });
    expect(mine.hasChannel).toBe(false);
    expect(mine.env).not.toHaveProperty('OPENCODE_TUI_CONFIG');
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
