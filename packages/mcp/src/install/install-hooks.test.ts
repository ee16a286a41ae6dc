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
  hookProgram: ['/relay/agent-relay.js', 'hook'],
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
  'enters hooks of %s that know its agent',
  async (editor) => {
    await runInstall(options({ editor, name: 'Ada' }));
    const { hooks } = JSON.parse(await read(FILES[editor]));
    expect(Object.keys(hooks).sort()).toEqual(EVENTS[editor]);
    for (const [group] of Object.values(hooks) as Array<[{ hooks: Array<{ command: string }> }]>)
      expect(group.hooks[0]?.command).toBe(
        `exec env RELAY_HOOK=${editor} RELAY_HOOK_PARENT=$PPID RELAY_PROJECT_ROOT='${directory}' RELAY_AGENT_NAME='Ada' '${process.execPath}' '/relay/agent-relay.js' 'hook' '${editor}'`,
      );
    expect(printed.join('\n')).toMatch(/^ {4}hooks: /m);
  },
);

test('gives server and hooks the same name, that of the client if none is chosen', async () => {
  await runInstall(options({ editor: 'claude' }));
  expect(JSON.parse(await read('.mcp.json')).mcpServers['agent-relay'].env.RELAY_AGENT_NAME).toBe('claude');
  expect(await read(FILES.claude)).toContain("RELAY_AGENT_NAME='claude'");
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

test('keeps what is there, changes nothing the second time, and takes back only its own', async () => {
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

test.each(['claude', 'codex', 'gemini'] as const)('leaves no file of %s behind', async (editor) => {
  await runInstall(options({ editor }));
  await runUninstall(options({ editor }));
  await expect(read(FILES[editor])).rejects.toThrow('ENOENT');
});

test('shows hooks without writing them', async () => {
  await runInstall(options({ editor: 'codex', dryRun: true }));
  expect(printed.join('\n')).toContain('RELAY_HOOK=codex');
  await expect(read(FILES.codex)).rejects.toThrow('ENOENT');
});

test('refuses a file that it cannot read, and leaves it as it is', async () => {
  await put(FILES.codex, '{ "hooks": ');
  await expect(runInstall(options({ editor: 'codex' }))).rejects.toThrow(/hooks\.json:1:12 cannot be parsed/);
  expect(await read(FILES.codex)).toBe('{ "hooks": ');
});

test('has hooks only where there is a program for them', async () => {
  const { hookProgram: _none, ...without } = options({ editor: 'claude' });
  await expect(runInstall(without)).rejects.toThrow('has no hooks');
});
