import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { text as consume } from 'node:stream/consumers';
import { parse as parseToml } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CLIENTS } from './clients.ts';
import { replaceConfigFile } from './editing/config-file.ts';
import { type InstallOptions, runInstall, runUninstall, type UninstallOptions } from './index.ts';

let directory: string;
let home: string;
let project: string;
let printed: string[];

beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'relay-install-')));
  home = join(directory, 'home');
  project = join(directory, 'shop');
  printed = [];
  await mkdir(home);
  await mkdir(project);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const world = (): UninstallOptions => ({
  cwd: project,
  env: { HOME: home, PATH: '' },
  platform: 'linux',
  print: (line) => printed.push(line),
});
const install = (options: InstallOptions = {}) => runInstall({ ...world(), ...options });
const uninstall = (options: UninstallOptions = {}) => runUninstall({ ...world(), ...options });
const read = (...path: string[]) => readFile(join(directory, ...path), 'utf8');
const put = async (path: string, text: string) => {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), text);
};

/** The entry in the form most clients share. */
const stdio = {
  command: process.execPath,
  args: [expect.stringMatching(/^\/.*agent-relay-mcp\.js$/), 'serve'],
  env: { RELAY_PROJECT_ROOT: expect.stringMatching(/shop$/) },
};
const anywhere = { ...stdio, env: {} };

describe('each client gets its own file and form', () => {
  test.each([
    ['claude', false, 'shop/.mcp.json', { mcpServers: { 'agent-relay': { type: 'stdio', ...stdio } } }],
    ['claude', true, 'home/.claude.json', { mcpServers: { 'agent-relay': { type: 'stdio', ...anywhere } } }],
    [
      'claude-desktop',
      true,
      'home/.config/Claude/claude_desktop_config.json',
      { mcpServers: { 'agent-relay': anywhere } },
    ],
    [
      'claude-desktop',
      false,
      'home/.config/Claude/claude_desktop_config.json',
      { mcpServers: { 'agent-relay': anywhere } },
    ],
    [
      'cursor',
      false,
      'shop/.cursor/mcp.json',
      { mcpServers: { 'agent-relay': { type: 'stdio', ...stdio } } },
    ],
    [
      'cursor',
      true,
      'home/.cursor/mcp.json',
      { mcpServers: { 'agent-relay': { type: 'stdio', ...anywhere } } },
    ],
    ['vscode', false, 'shop/.vscode/mcp.json', { servers: { 'agent-relay': { type: 'stdio', ...stdio } } }],
    [
      'vscode',
      true,
      'home/.config/Code/User/mcp.json',
      { servers: { 'agent-relay': { type: 'stdio', ...anywhere } } },
    ],
    [
      'codex',
      false,
      'shop/.codex/config.toml',
      {
        mcp_servers: { 'agent-relay': { ...stdio, env_vars: expect.arrayContaining(['RELAY_AGENT_NAME']) } },
      },
    ],
    [
      'codex',
      true,
      'home/.codex/config.toml',
      { mcp_servers: { 'agent-relay': { ...anywhere, env_vars: expect.anything() } } },
    ],
    [
      'gemini',
      false,
      'shop/.gemini/settings.json',
      {
        mcpServers: {
          'agent-relay': {
            ...stdio,
            env: {
              ...stdio.env,
              RELAY_AGENT_TOKEN: `\${RELAY_AGENT_TOKEN:-}`,
              RELAY_WORKSPACE_KEY: `\${RELAY_WORKSPACE_KEY:-}`,
            },
          },
        },
      },
    ],
    [
      'gemini',
      true,
      'home/.gemini/settings.json',
      { mcpServers: { 'agent-relay': expect.objectContaining({ args: stdio.args }) } },
    ],
    [
      'opencode',
      false,
      'shop/opencode.json',
      {
        $schema: expect.any(String),
        mcp: {
          'agent-relay': { type: 'local', command: [stdio.command, ...stdio.args], environment: stdio.env },
        },
      },
    ],
    [
      'opencode',
      true,
      'home/.config/opencode/opencode.json',
      { $schema: expect.any(String), mcp: { 'agent-relay': expect.objectContaining({ environment: {} }) } },
    ],
    [
      'droid',
      false,
      'shop/.factory/mcp.json',
      { mcpServers: { 'agent-relay': { type: 'stdio', ...stdio } } },
    ],
    [
      'droid',
      true,
      'home/.factory/mcp.json',
      { mcpServers: { 'agent-relay': { type: 'stdio', ...anywhere } } },
    ],
  ])('%s, global: %s', async (editor, global, file, content) => {
    expect(await install({ editor, global })).toEqual([
      { client: editor, file: join(directory, file), outcome: 'added' },
    ]);
    const text = await read(file);
    expect(file.endsWith('.toml') ? JSON.parse(JSON.stringify(parseToml(text))) : JSON.parse(text)).toEqual(
      content,
    );
    expect(await uninstall({ editor, global })).toMatchObject([{ outcome: 'removed' }]);
    expect(existsSync(join(directory, file))).toBe(false);
    // Nothing is left of what was made for it, and nothing else is gone.
    expect(await readdir(project)).toEqual([]);
    if (dirname(join(directory, file)) !== home)
      expect(existsSync(dirname(join(directory, file)))).toBe(dirname(join(directory, file)) === project);
    expect(existsSync(home)).toBe(true);
  });

  test('uses Application Support for desktop programs on macOS', async () => {
    const changes = await Promise.all(
      ['claude-desktop', 'vscode'].map((editor) => install({ editor, global: true, platform: 'darwin' })),
    );
    const library = join(home, 'Library/Application Support');
    expect(changes.flat().map(({ file }) => file)).toEqual([
      join(library, 'Claude/claude_desktop_config.json'),
      join(library, 'Code/User/mcp.json'),
    ]);
  });

  test("follows the variables that move a client's files", async () => {
    const env = {
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, 'c'),
      CODEX_HOME: join(home, 'x'),
      XDG_CONFIG_HOME: join(home, 'g'),
    };
    const files: string[] = [];
    for (const editor of ['claude', 'codex', 'opencode']) {
      files.push(...(await install({ editor, global: true, env })).map(({ file }) => file));
    }
    expect(files).toEqual([
      join(home, 'c/.claude.json'),
      join(home, 'x/config.toml'),
      join(home, 'g/opencode/opencode.json'),
    ]);
  });

  test('uses the OpenCode file with comments if it exists', async () => {
    await put('shop/opencode.jsonc', '{\n  // models\n  "model": "a/b"\n}\n');
    await install({ editor: 'opencode' });
    expect(await read('shop/opencode.jsonc')).toContain('// models');
    expect(existsSync(join(project, 'opencode.json'))).toBe(false);
  });
});

describe('the entry', () => {
  const env = async () => JSON.parse(await read('shop/.mcp.json')).mcpServers['agent-relay'].env;

  test('starts existing programs by absolute path', async () => {
    await install({ editor: 'claude', tools: 'relay,network' });
    const { command, args } = JSON.parse(await read('shop/.mcp.json')).mcpServers['agent-relay'];
    expect(isAbsolute(command) && isAbsolute(args[0])).toBe(true);
    expect(existsSync(command) && existsSync(args[0])).toBe(true);
    expect(args.slice(1)).toEqual(['serve', '--tools', 'relay,network']);
  });

  test('works for a client without PATH and working directory', async () => {
    await install({ editor: 'claude-desktop' });
    const text = await read('home/.config/Claude/claude_desktop_config.json');
    const { command, args, env } = JSON.parse(text).mcpServers['agent-relay'];
    const server = spawn(command, args, {
      cwd: '/',
      env: { HOME: home, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    server.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    expect(JSON.parse(await consume(server.stdout))).toMatchObject({ id: 1, result: { serverInfo: {} } });
  });

  test('with the toolset gateway starts the program that serves it, or names it', async () => {
    const tools = 'relay,gateway';
    await expect(install({ editor: 'claude', tools })).rejects.toMatchObject({
      next: 'Run: agent-relay mcp install --tools relay,gateway',
    });
    await install({ editor: 'claude', tools, gatewayProgram: ['/bin/agent-relay.js', 'mcp'] });
    const { args } = JSON.parse(await read('shop/.mcp.json')).mcpServers['agent-relay'];
    expect(args).toEqual(['/bin/agent-relay.js', 'mcp', '--tools', tools]);
  });

  test('is refused for unknown toolsets before anything is written', async () => {
    await expect(install({ editor: 'claude', tools: 'relay,chess' })).rejects.toThrow(/no toolset "chess"/);
    expect(await readdir(project)).toEqual([]);
  });

  test('names the agent, and the data directory if it is not the default', async () => {
    await install({
      editor: 'claude',
      name: 'Alice',
      env: { HOME: home, RELAY_DATA_DIR: join(directory, 'data') },
    });
    expect(await env()).toEqual({
      RELAY_PROJECT_ROOT: project,
      RELAY_AGENT_NAME: 'Alice',
      RELAY_DATA_DIR: join(directory, 'data'),
    });
    await expect(install({ editor: 'claude', name: 'no/slash' })).rejects.toMatchObject({
      code: 'InvalidName',
    });
  });

  test('passes no token on to an agent that it names: it is that of the agent of the terminal', async () => {
    await install({ editor: 'codex,gemini', name: 'Alice' });
    const texts = [
      await read('shop', '.codex', 'config.toml'),
      await read('shop', '.gemini', 'settings.json'),
    ];
    for (const text of texts) {
      expect(text).toContain('RELAY_WORKSPACE_KEY');
      expect(text).not.toContain('RELAY_AGENT_TOKEN');
    }
  });
});

describe('a file of the user', () => {
  const theirs = '{\n  // mine\n  "mcpServers": {}\n}\n';

  test('is written once, however often the command runs', async () => {
    await put('shop/.mcp.json', theirs);
    expect(await install({ editor: 'claude' })).toMatchObject([{ outcome: 'added' }]);
    const written = await stat(join(project, '.mcp.json'));
    expect(await install({ editor: 'claude' })).toMatchObject([{ outcome: 'unchanged' }]);
    expect((await stat(join(project, '.mcp.json'))).ino).toBe(written.ino);
    expect(await install({ editor: 'claude', name: 'Alice' })).toMatchObject([{ outcome: 'updated' }]);
  });

  test('is backed up to the data directory, private to its user', async () => {
    await put('shop/.mcp.json', theirs);
    await chmod(join(project, '.mcp.json'), 0o666);
    const [change] = await install({ editor: 'claude' });
    const backup = change?.backup ?? '';
    expect(await readFile(backup, 'utf8')).toBe(theirs);
    expect((await stat(backup)).mode & 0o077).toBe(0);
    expect(backup.startsWith(join(home, '.local/share/agent-relay/backups/'))).toBe(true);
    expect(printed).toContain(`  backup: ${backup}`);
  });

  test('is private if it is new', async () => {
    for (const global of [false, true]) {
      const [change] = await install({ editor: 'cursor', global });
      expect((await stat(change?.file ?? '')).mode & 0o777).toBe(0o600);
      expect((await stat(dirname(change?.file ?? ''))).mode & 0o777).toBe(0o700);
    }
  });

  test('keeps its permissions and its link, and leaves no temporary file', async () => {
    await put('dotfiles/claude.json', '{}\n');
    await chmod(join(directory, 'dotfiles/claude.json'), 0o640);
    await symlink(join(directory, 'dotfiles/claude.json'), join(home, '.claude.json'));
    await install({ editor: 'claude', global: true });
    expect((await lstat(join(home, '.claude.json'))).isSymbolicLink()).toBe(true);
    expect((await stat(join(home, '.claude.json'))).mode & 0o777).toBe(0o640);
    expect(await read('dotfiles/claude.json')).toContain('agent-relay');
    expect(await readdir(join(directory, 'dotfiles'))).toEqual(['claude.json']);
  });

  test('is not written with --dry-run, which shows only the change', async () => {
    const text = '{"mcpServers":{"other":{"env":{"KEY":"secret"}},"agent-relay":{"command":"/old"}}}';
    await put('shop/.mcp.json', text);
    const before = await readdir(home);
    expect(await install({ editor: 'claude', dryRun: true })).toMatchObject([{ outcome: 'updated' }]);
    expect(printed).toContain('  -       "command": "/old"');
    expect(printed).toContain(`  +       "command": "${process.execPath}",`);
    expect(printed.join()).not.toContain('secret');
    expect(await read('shop/.mcp.json')).toBe(text);
    expect(await readdir(home)).toEqual(before);
  });

  test('that only mentions the relay is neither changed nor reported', async () => {
    await put('home/.claude.json', '{"projects":{"/src/agent-relay":{}}}');
    expect(await uninstall({ global: true })).toEqual([]);
    expect(printed).toEqual(['Nothing to remove.']);
    await install({ editor: 'claude', global: true });
    expect(await uninstall({ global: true })).toMatchObject([{ client: 'claude', outcome: 'removed' }]);
    expect(await read('home/.claude.json')).toBe('{"projects":{"/src/agent-relay":{}}}');
  });

  test('is not changed if it cannot be parsed', async () => {
    await put('shop/.mcp.json', '{ "mcpServers": \n');
    await expect(install({ editor: 'claude' })).rejects.toMatchObject({
      code: 'InvalidClientConfig',
      message: expect.stringMatching(/\.mcp\.json:2:1 cannot be parsed/),
    });
    expect(await read('shop/.mcp.json')).toBe('{ "mcpServers": \n');
  });

  test('is not changed if another program changes it at the same time', async () => {
    await put('shop/.mcp.json', '{"theirs": 2}');
    const replacement = { file: join(project, '.mcp.json'), before: '{}', after: '{"ours": 1}' };
    await expect(replaceConfigFile(replacement, { HOME: home })).rejects.toThrow(
      /changed by another program/,
    );
    expect(await read('shop/.mcp.json')).toBe('{"theirs": 2}');
    expect(await readdir(project)).toEqual(['.mcp.json']);
  });
});

describe('several clients', () => {
  test.each([[['claude', 'codex']], ['claude,codex'], [['codex', 'claude, codex']]])(
    '%j are each configured once',
    async (editor) => {
      expect((await install({ editor })).map(({ client }) => client).sort()).toEqual(['claude', 'codex']);
      expect((await uninstall({ editor })).map(({ client }) => client).sort()).toEqual(['claude', 'codex']);
    },
  );

  test('each get a name derived from the given one', async () => {
    await install({ editor: 'claude,codex', name: 'Bob' });
    expect(await read('shop/.mcp.json')).toContain('"RELAY_AGENT_NAME": "Bob-claude"');
    expect(await read('shop/.codex/config.toml')).toContain('RELAY_AGENT_NAME = "Bob-codex"');
    expect(printed.join('\n')).not.toContain('share its messages');
  });

  test('with the same name are one agent, and the user is warned', async () => {
    await install({ editor: 'codex', name: 'Bob' });
    expect(printed).toContainEqual(
      expect.stringMatching(/warning: all sessions of Codex here share the name Bob/),
    );
    await install({ editor: 'claude', name: 'bob' });
    expect(printed).toContainEqual(
      `  warning: Codex is also named bob (${join(project, '.codex/config.toml')}): both are one agent and share its messages.`,
    );
  });
});

describe('a name that another client uses in another scope', () => {
  const warned = (file: string) =>
    `  warning: Claude Code is also named Bob (${file}): both are one agent and share its messages.`;

  test('is reported in a project if the user configuration has it', async () => {
    await install({ editor: 'claude', name: 'Bob', global: true });
    await install({ editor: 'codex', name: 'Bob' });
    expect(printed).toContain(warned(join(home, '.claude.json')));
  });

  test('is not reported if the project overrides it', async () => {
    await install({ editor: 'claude', name: 'Bob', global: true });
    await install({ editor: 'claude' });
    await install({ editor: 'codex', name: 'Bob' });
    expect(printed.join('\n')).not.toContain('share its messages');
  });

  test('is reported in the user configuration if this project has it', async () => {
    await install({ editor: 'claude', name: 'Bob' });
    await install({ editor: 'codex', name: 'Bob', global: true });
    expect(printed).toContain(warned(join(project, '.mcp.json')));
  });
});

describe('after an installation', () => {
  test('prints the next steps, and what not to commit', async () => {
    await install({ editor: 'claude,codex' });
    expect(printed.slice(printed.indexOf('Next:'))).toEqual([
      'Next:',
      '  Start the daemon, if it is not running: agent-relay daemon start',
      '  Restart Claude Code.',
      '    trust: Start claude in the project once and approve the server.',
      expect.stringMatching(/^ {4}tools: .*mcp__agent-relay/),
      '    check: claude mcp list',
      '  Restart Codex.',
      expect.stringMatching(/^ {4}trust: /),
      expect.stringMatching(/^ {4}tools: .*default_tools_approval_mode = "approve"/),
      expect.stringMatching(/^ {4}check: codex mcp list/),
      "Do not commit .mcp.json, .codex/config.toml: the relay's entries contain paths of this machine.",
    ]);
  });

  test('for the whole user, says nothing about trust and commits', async () => {
    await install({ editor: 'claude', global: true });
    expect(printed.join('\n')).toContain('Restart Claude Code.');
    expect(printed.join('\n')).not.toMatch(/commit|trust:/);
  });

  test('with --dry-run, prints no next steps', async () => {
    await install({ editor: 'claude', dryRun: true });
    expect(printed).not.toContain('Next:');
  });
});

describe('without a named client', () => {
  test('configures every installed client, found by its directory or command', async () => {
    await mkdir(join(home, '.codex'));
    await put('bin/gemini', '');
    await chmod(join(directory, 'bin/gemini'), 0o755);
    await mkdir(join(home, '.config/Claude'), { recursive: true });
    const env = { HOME: home, PATH: join(directory, 'bin') };
    const clients = async (global: boolean) => (await install({ env, global })).map(({ client }) => client);
    expect(await clients(false)).toEqual(['codex', 'gemini']);
    expect(await clients(true)).toEqual(['claude-desktop', 'codex', 'gemini']);
    expect((await uninstall({ env })).map(({ client }) => client)).toEqual(['codex', 'gemini']);
    await uninstall({ env });
    expect(printed.at(-1)).toBe('Nothing to remove.');
  });

  test('configures the others if one file is invalid', async () => {
    await put('shop/.codex/config.toml', 'a = \n');
    await mkdir(join(home, '.codex'));
    await mkdir(join(home, '.claude'));
    await mkdir(join(home, '.gemini'));
    await expect(install()).rejects.toThrow(/config\.toml:1:5/);
    expect(await read('shop/.mcp.json')).toContain('agent-relay');
    expect(await read('shop/.gemini/settings.json')).toContain('agent-relay');
  });

  test('says how to name a client if none is installed', async () => {
    await expect(install()).rejects.toMatchObject({ code: 'ClientNotFound' });
    await expect(install({ editor: 'emacs' })).rejects.toMatchObject({
      code: 'InvalidRequest',
      next: expect.stringContaining(
        'claude, claude-desktop, cursor, vscode, codex, gemini, opencode, droid, auto',
      ),
    });
  });
});

test('documents every client with its command and files', async () => {
  const guide = await readFile(new URL('../../../../docs/clients.md', import.meta.url), 'utf8');
  const machine = { env: { HOME: '~' }, platform: 'linux' } as const;
  for (const client of CLIENTS) {
    expect(guide).toContain(`-e ${client.id}`);
    expect(guide).toContain(`\`${client.globalFile(machine)}\``);
    if (client.projectFile) expect(guide).toContain(`\`${client.projectFile('')}\``);
  }
});
