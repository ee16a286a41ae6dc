import { type Command, InvalidArgumentError, Option } from 'commander';

/** The project a command talks to; without it, discovery decides. */
export interface ProjectOption {
  project?: string;
}
export interface JsonOption {
  json?: boolean;
}
export interface AgentOption {
  as?: string;
}
export interface ToolsOption {
  tools?: string;
}

export const withProject = (command: Command): Command =>
  command.option('--project <name>', 'the project, where it is not the one of this directory');

export const withJson = (command: Command): Command => command.option('--json', 'print JSON for programs');

export const withAgent = (command: Command): Command =>
  command.option('--as <name>', 'the agent you act as (RELAY_AGENT_NAME; else you, by your user name)');

export const withTools = (command: Command): Command =>
  command.option('--tools <list>', 'the toolsets for MCP clients, separated by commas (RELAY_TOOLS)');

/** Options of commands that start a daemon. */
export const withDaemonSettings = (command: Command): Command =>
  command
    .option('--project <name>', 'the name of the project of this directory')
    .option('--port <number>', 'the HTTP port, 0 for any free one')
    .option('--database <place>', 'the path of an SQLite file, or a postgres:// URL without a password')
    .option('--mcp-http [port]', 'serve MCP over HTTP (port 3889)')
    .option('--mcp-api-key <key>', 'the key of MCP over HTTP; safer in RELAY_MCP_API_KEY');

/** A whole number, at least `least`. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number, at least ${least}.`);
  };

export const oneOf = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices([...choices]);
