import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '@agent-relay/sdk/node';
import { CLAUDE_HOOKS, CODEX_HOOKS, GEMINI_HOOKS, OPENCODE_PLUGIN } from './client-hooks.ts';
import type { ConfigFormat, Entry } from './editing/config-format.ts';
import type { HookEdit } from './editing/hook-edits.ts';
import { json } from './editing/json-text.ts';
import { toml } from './editing/toml-text.ts';
import type { HookStart } from './hook-command.ts';
import { type ServerCommand, VARIABLES } from './server-command.ts';

/** The machine and user to look for clients on. */
export interface Machine {
  env: Environment;
  platform: NodeJS.Platform;
}

/** How a client passes messages on by itself: commands that it runs at certain moments, or a plugin. */
export interface ClientHooks {
  projectFile(project: string): string;
  globalFile(machine: Machine): string;
  /** A text that only a file with them contains. */
  readonly mark: string;
  /** Adds the relay's after the existing ones; without a start, removes them. */
  edit(file: string, text: string, start?: HookStart): HookEdit;
  /** What they do, and what they cannot. */
  readonly note: string;
}

/** A program that can start the relay's MCP server, and how its own configuration is written. */
export interface Client {
  readonly id: string;
  readonly title: string;
  readonly format: ConfigFormat;
  /** The key of the table with one entry per server. */
  readonly servers: string;
  /** What a new file starts with. */
  readonly newFile?: string;
  /** The commands that start it. */
  readonly commands: readonly string[];
  /** A directory that it creates when it is used. */
  traces(machine: Machine): string;
  /** Without it, the client has no configuration for a single project. */
  projectFile?(project: string): string;
  globalFile(machine: Machine): string;
  entry(server: ServerCommand): Entry;
  /** Its own hooks, which pass messages on to the agent. */
  readonly hooks?: ClientHooks;
  /** How to check that it works. */
  readonly check: string;
  /** How to allow the tools without being asked each time. */
  readonly allow: string;
  /** What the client asks for before it starts a server from a project's file. */
  readonly trust?: string;
}

export const homeOf = ({ env }: Machine) => env.HOME || homedir();
const inHome = (machine: Machine, ...path: string[]) => join(homeOf(machine), ...path);

function configHome(machine: Machine, ...path: string[]): string {
  const { XDG_CONFIG_HOME: shared } = machine.env;
  return shared && isAbsolute(shared) ? join(shared, ...path) : inHome(machine, '.config', ...path);
}

/** Where desktop programs keep their settings. */
const applicationData = (machine: Machine, ...path: string[]) =>
  machine.platform === 'darwin'
    ? inHome(machine, 'Library', 'Application Support', ...path)
    : configHome(machine, ...path);

const codexHome = (machine: Machine) => machine.env.CODEX_HOME || inHome(machine, '.codex');
const geminiHome = (machine: Machine) => join(machine.env.GEMINI_CLI_HOME || homeOf(machine), '.gemini');

const plain = ({ command, args, env }: ServerCommand): Entry => ({ command, args, env });
const typed = (server: ServerCommand): Entry => ({ type: 'stdio', ...plain(server) });
/** Variables for the server of an entry. If the entry names the agent, a token in the environment is another agent's. */
const passedTo = ({ env }: ServerCommand): string[] =>
  VARIABLES.filter(
    (name) => !(name in env || (name === 'RELAY_AGENT_TOKEN' && env.RELAY_AGENT_NAME !== undefined)),
  );
const withServers = { format: json, servers: 'mcpServers' } as const;

/** OpenCode reads both names; use the one that exists. */
const openCodeFile = (directory: string) => {
  const commented = join(directory, 'opencode.jsonc');
  return existsSync(commented) ? commented : join(directory, 'opencode.json');
};

export const CLIENTS: readonly Client[] = [
  {
    ...withServers,
    id: 'claude',
    title: 'Claude Code',
    commands: ['claude'],
    traces: (machine) => machine.env.CLAUDE_CONFIG_DIR || inHome(machine, '.claude'),
    projectFile: (project) => join(project, '.mcp.json'),
    globalFile: (machine) => join(machine.env.CLAUDE_CONFIG_DIR || homeOf(machine), '.claude.json'),
    entry: typed,
    hooks: {
      ...CLAUDE_HOOKS,
      projectFile: (project) => join(project, '.claude', 'settings.local.json'),
      globalFile: (machine) =>
        join(machine.env.CLAUDE_CONFIG_DIR || inHome(machine, '.claude'), 'settings.json'),
    },
    check: 'claude mcp list',
    allow:
      'Asks before each call; to allow all, add "mcp__agent-relay" to permissions.allow in .claude/settings.local.json (for all projects: ~/.claude/settings.json).',
    trust: 'Start claude in the project once and approve the server.',
  },
  {
    ...withServers,
    id: 'claude-desktop',
    title: 'Claude Desktop',
    commands: [],
    traces: (machine) => applicationData(machine, 'Claude'),
    globalFile: (machine) => applicationData(machine, 'Claude', 'claude_desktop_config.json'),
    entry: plain,
    check: 'Settings > Developer',
    allow: 'Asks before each call; choose to allow it always.',
  },
  {
    ...withServers,
    id: 'cursor',
    title: 'Cursor',
    commands: ['cursor', 'cursor-agent'],
    traces: (machine) => inHome(machine, '.cursor'),
    projectFile: (project) => join(project, '.cursor', 'mcp.json'),
    globalFile: (machine) => inHome(machine, '.cursor', 'mcp.json'),
    entry: typed,
    check: 'the MCP settings of Cursor',
    allow: 'Asks before each call; choose to always allow it.',
    trust: 'Switch the server on in the MCP settings of Cursor.',
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: json,
    servers: 'servers',
    commands: ['code'],
    traces: (machine) => applicationData(machine, 'Code', 'User'),
    projectFile: (project) => join(project, '.vscode', 'mcp.json'),
    globalFile: (machine) => applicationData(machine, 'Code', 'User', 'mcp.json'),
    entry: typed,
    check: 'Run "MCP: List Servers" from the command palette.',
    allow: 'Asks before each call; choose to always allow the tools of this server.',
    trust: 'VS Code asks whether you trust the server when it starts it.',
  },
  {
    id: 'codex',
    title: 'Codex',
    format: toml,
    servers: 'mcp_servers',
    commands: ['codex'],
    traces: codexHome,
    projectFile: (project) => join(project, '.codex', 'config.toml'),
    globalFile: (machine) => join(codexHome(machine), 'config.toml'),
    // Codex passes only listed variables to a server.
    entry: (server) => ({ ...plain(server), env_vars: passedTo(server) }),
    hooks: {
      ...CODEX_HOOKS,
      projectFile: (project) => join(project, '.codex', 'hooks.json'),
      globalFile: (machine) => join(codexHome(machine), 'hooks.json'),
    },
    check: 'codex mcp list, or /mcp in a session',
    allow:
      'Asks before it starts or ends workers; to allow all, add default_tools_approval_mode = "approve" to the entry.',
    trust: 'Codex reads the file only in trusted projects: start codex there once and trust the project.',
  },
  {
    ...withServers,
    id: 'gemini',
    title: 'Gemini CLI',
    commands: ['gemini'],
    traces: geminiHome,
    projectFile: (project) => join(project, '.gemini', 'settings.json'),
    globalFile: (machine) => join(geminiHome(machine), 'settings.json'),
    // Gemini CLI withholds variables that look like secrets, except listed ones.
    entry: (server) => {
      const secrets = passedTo(server).filter((name) => /_(TOKEN|KEY)$/.test(name));
      const references = Object.fromEntries(secrets.map((name) => [name, `\${${name}:-}`]));
      return { ...plain(server), env: { ...server.env, ...references } };
    },
    hooks: {
      ...GEMINI_HOOKS,
      projectFile: (project) => join(project, '.gemini', 'settings.json'),
      globalFile: (machine) => join(geminiHome(machine), 'settings.json'),
    },
    check: 'gemini mcp list',
    allow: 'Asks before each call; to allow all, add "trust": true to the entry.',
    trust: 'Gemini CLI starts servers only in trusted folders: start gemini there once and trust the folder.',
  },
  {
    id: 'opencode',
    title: 'OpenCode',
    format: json,
    servers: 'mcp',
    newFile: '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
    commands: ['opencode'],
    traces: (machine) => configHome(machine, 'opencode'),
    projectFile: openCodeFile,
    globalFile: (machine) => openCodeFile(configHome(machine, 'opencode')),
    entry: ({ command, args, env }) => ({ type: 'local', command: [command, ...args], environment: env }),
    hooks: {
      ...OPENCODE_PLUGIN,
      projectFile: (project) => join(project, '.opencode', 'tui.json'),
      globalFile: (machine) => configHome(machine, 'opencode', 'tui.json'),
    },
    check: 'opencode mcp list',
    allow: 'Does not ask, unless your permission settings say so.',
  },
  {
    ...withServers,
    id: 'droid',
    title: 'Factory Droid',
    commands: ['droid'],
    traces: (machine) => inHome(machine, '.factory'),
    projectFile: (project) => join(project, '.factory', 'mcp.json'),
    globalFile: (machine) => inHome(machine, '.factory', 'mcp.json'),
    entry: typed,
    check: 'droid mcp list',
    allow: 'Asks before each call; choose to always allow it.',
  },
];
