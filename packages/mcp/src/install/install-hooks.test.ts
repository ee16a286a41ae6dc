import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type InstallOptions, runInstall, runUninstall } from './index.ts';

let directory: string;
let printed: string[];

beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'relay-hooks-')));
  printed = [];
});
afterEach(() => rm(directory, { recursive: true }));

const options = (more: InstallOptions = {}): InstallOptions => ({
  cwd: directory,
  env: { HOME: join(directory, 'home'), PATH: '' },
  platform: 'linux',
  print: (line) => printed.push(line),
  hooks: true,
  hookProgram: {
    program: ['/relay/agent-relay.js', 'hook'],
    plugin: 'file:///relay/opencode-installed-plugin.js',
  },
  ...more,
});
const read = (path: string) => readFile(join(directory, path), 'utf8');
const put = async (path: string, text: string) => {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), text);
};
const FILES = {
  claude: '.claude/settings.local.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
} as const;
const EVENTS = {
  claude: ['SessionStart', 'Stop', 'UserPromptSubmit'],
  codex: ['PostToolUse', 'Stop', 'UserPromptSubmit'],
  gemini: ['AfterAgent', 'AfterTool', 'BeforeAgent'],
} as const;

test.each(['claude', 'codex', 'gemini'] as const)(
  'adds hooks to %s with the name of its agent',
  async (editor) => {
    await runInstall(options({ editor, name: 'Ada' }));
    const { hooks } = JSON.parse(await read(FILES[editor]));
    expect(Object.keys(hooks).sort()).toEqual(EVENTS[editor]);
    for (const [group] of Object.values(hooks) as Array<[{ hooks: Array<{ command: string }> }]>)
      expect(group.hooks[0]?.command).toBe(
        `exec env RELAY_HOOK=${editor} RELAY_HOOK_PARENT=$PPID RELAY_PROJECT_ROOT='${directory}' RELAY_AGENT_NAME='Ada' '${process.execPath}' '/relay/agent-relay.js' 'hook' '${editor}'`,
      );
    expect(printed.join('\n')).toMatch(/^ {4}hooks: /m);
    // The server says by it why messages wait.
    expect(printed.join('\n')).toMatch(
      new RegExp(`RELAY_HOOKS"?[:=] ?"${editor}"|RELAY_HOOKS = "${editor}"`),
    );
  },
);

test('sets no name if none is chosen: hooks and session both use that of the client', async () => {
  await runInstall(options({ editor: 'claude' }));
  const { env } = JSON.parse(await read('.mcp.json')).mcpServers['agent-relay'];
  expect(env).toMatchObject({ RELAY_HOOKS: 'claude' });
  expect(env).not.toHaveProperty('RELAY_AGENT_NAME');
  expect(await read(FILES.claude)).not.toContain('RELAY_AGENT_NAME');
  const warning = '  warning: all sessions of Claude Code here share the name claude, even at the same time.';
  expect(printed).toContain(`${warning} A session gets a name of its own with RELAY_AGENT_NAME=NAME.`);
  await runInstall(options({ editor: 'claude', name: 'Ada' }));
  expect(printed).toContain(
    `${warning.replace('claude,', 'Ada,')} Without --name, a session gets a name of its own with RELAY_AGENT_NAME=NAME.`,
  );
});

test('lists the hook files among those not to commit, once each', async () => {
  await runInstall(options({ editor: 'claude,codex,gemini,opencode' }));
  expect(printed.at(-1)).toBe(
    "Do not commit .mcp.json, .claude/settings.local.json, .codex/config.toml, .codex/hooks.json, .gemini/settings.json, opencode.json, .opencode/tui.json: the relay's entries contain paths of this machine.",
  );
});

test('warns if the hooks of another client use the same name', async () => {
  await runInstall(options({ editor: 'codex' }));
  await runInstall(options({ editor: 'claude', name: 'Codex', hooks: false }));
  expect(printed).toContainEqual(expect.stringMatching(/warning: Codex is also named Codex .*config\.toml/));
});

const MINE = `{
  // mine
  "model": "opus",
  "hooks": {
    "Stop": [
      // says when it is done
      { "hooks": [{ "type": "command", "command": "say done" }] }
    ],
    "PreToolUse": []
  }
}
`;

test('keeps other entries, changes nothing the second time, and removes only its own', async () => {
  await put(FILES.claude, MINE);
  await runInstall(options({ editor: 'claude' }));
  const once = await read(FILES.claude);
  expect(once).toContain('// says when it is done');
  expect(once.match(/RELAY_HOOK=/g)).toHaveLength(3);
  printed = [];
  await runInstall(options({ editor: 'claude' }));
  expect(await read(FILES.claude)).toBe(once);
  expect(printed.join('\n')).toContain(`${FILES.claude} (unchanged)`);
  await runInstall(options({ editor: 'claude', name: 'Ada' }));
  expect((await read(FILES.claude)).match(/RELAY_HOOK=/g)).toHaveLength(3);
  await runUninstall(options({ editor: 'claude' }));
  expect(await read(FILES.claude)).toBe(MINE);
});

test.each(['claude', 'codex', 'gemini'] as const)('removes the file of %s again', async (editor) => {
  await runInstall(options({ editor }));
  await runUninstall(options({ editor }));
  await expect(read(FILES[editor])).rejects.toThrow('ENOENT');
});

test('shows hooks without writing them', async () => {
  await runInstall(options({ editor: 'codex', dryRun: true }));
  expect(printed.join('\n')).toContain('RELAY_HOOK=codex');
  await expect(read(FILES.codex)).rejects.toThrow('ENOENT');
});

test('refuses a file that it cannot parse, and does not change it', async () => {
  await put(FILES.codex, '{ "hooks": ');
  await expect(runInstall(options({ editor: 'codex' }))).rejects.toThrow(/hooks\.json:1:12 cannot be parsed/);
  expect(await read(FILES.codex)).toBe('{ "hooks": ');
});

test('adds hooks only to clients that support them', async () => {
  const { hookProgram: _none, ...without } = options({ editor: 'claude' });
  await expect(runInstall(without)).rejects.toThrow('has no hooks');
});

const PLUGIN = [
  'file:///relay/opencode-installed-plugin.js',
  { command: [process.execPath, '/relay/agent-relay.js', 'hook', 'opencode'], env: expect.any(Object) },
];

test('adds a plugin to OpenCode, shows it, and removes it', async () => {
  const mine = '{\n  // mine\n  "plugin": ["my-plugin"],\n  "theme": "dark"\n}\n';
  await put('.opencode/tui.json', mine);
  await runInstall(options({ editor: 'opencode', name: 'Ada' }));
  const text = await read('.opencode/tui.json');
  expect(text).toContain('// mine');
  expect(JSON.parse(text.replace('// mine', ''))).toEqual({ plugin: ['my-plugin', PLUGIN], theme: 'dark' });
  expect(text).toMatch(/"RELAY_AGENT_NAME": ?"Ada"/);
  expect(printed.join('\n')).toContain('opencode-installed-plugin.js');
  printed = [];
  await runInstall(options({ editor: 'opencode', name: 'Ada' }));
  expect(printed.join('\n')).toMatch(/tui\.json \(unchanged\)/);
  await runUninstall(options({ editor: 'opencode' }));
  expect(await read('.opencode/tui.json')).toBe(mine);
});

test('creates a file for the plugin, and removes it', async () => {
  await runInstall(options({ editor: 'opencode' }));
  expect(JSON.parse(await read('.opencode/tui.json'))).toEqual({ plugin: [PLUGIN] });
  await runUninstall(options({ editor: 'opencode' }));
  await expect(read('.opencode/tui.json')).rejects.toThrow('ENOENT');
});
